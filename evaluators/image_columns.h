// Images in the columns of datasets, and what images of generated chest radiographs show.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/datasets/dataset.h"
#include "framework/core/sources/synthcxr.h"

namespace lvtext {

/// Names of the columns of images and attributes.
inline constexpr const char* kImageColumn = "image";
inline constexpr const char* kAttributesColumn = "attributes";

/// The images of a row, bytes [K, C, H, W]. Throws DataError, naming the input, if the dataset has
/// no column of images.
at::Tensor images_of_row(const Dataset& dataset, const std::string& input, int64_t row);
/// The first images of the first rows, at most `most`, bytes [N, C, H, W]. Throws as
/// images_of_row(), or if a row has none.
at::Tensor first_images(const Dataset& dataset, const std::string& input, int64_t most);

/// Features of an image of synthcxr, bytes [1, S, S]. Throws DataError, naming the input, unless S
/// is a multiple of 64.
ChestFeatures chest_features_of(const at::Tensor& image, const std::string& input);
/// What each image of each row shows. Throws as the above.
std::vector<std::vector<ChestReading>> chest_readings(const Dataset& dataset,
                                                      const std::string& input);
/// The column "attributes". Throws DataError, naming the input, if it is missing or is not a column
/// of 15 zeros and ones.
std::vector<ChestAttributes> chest_attributes(const Dataset& dataset, const std::string& input);

}  // namespace lvtext
