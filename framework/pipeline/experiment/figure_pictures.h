// Images of data sets as pictures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "framework/core/data/dataset.h"
#include "framework/pipeline/report/png.h"

namespace lvtext {

/// The first `count` images of a dataset: of its first column of images, of each row the first one.
/// One channel is gray, three are red, green and blue. Throws DataError if the dataset has no
/// column of images, or one with other channels.
std::vector<Picture> pictures_of(const Dataset& dataset, int64_t count);
/// The same of a finished node's dataset. Throws MissingError or DamagedRun.
std::vector<Picture> read_pictures(const std::filesystem::path& folder, int64_t count);

}  // namespace lvtext
