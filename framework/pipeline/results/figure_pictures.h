// Images of datasets as pictures.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/core/datasets/dataset.h"
#include "framework/pipeline/report/png.h"

namespace lvtext {

/// The first `count` images of a dataset: the first image of each row in its first column of
/// images. One channel is gray, three channels are red, green and blue. Throws DataError if the
/// dataset has no column of images, or one with another number of channels.
std::vector<Picture> pictures_of(const Dataset& dataset, int64_t count);

}  // namespace lvtext
