#include "evaluators/image_columns.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <span>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

/// Throws DataError unless the dataset has the column, of this kind and with one item per row or,
/// if `may_be_ragged`, any number.
const DatasetColumn& column_of(const Dataset& dataset, const std::string& input,
                               const std::string& name, ColumnKind kind, bool may_be_ragged) {
  const std::vector<std::string> names = dataset.names();
  const auto has = std::find(names.begin(), names.end(), name) != names.end();
  if (has && dataset.column(name).decl().kind == kind &&
      (may_be_ragged || !dataset.column(name).decl().ragged)) {
    return dataset.column(name);
  }
  throw DataError("the dataset of the input '" + input + "' has no column '" + name + "' of " +
                  (kind == ColumnKind::kImage ? "images" : "vectors") + "; its columns are " +
                  join(names));
}

const DatasetColumn& image_column(const Dataset& dataset, const std::string& input) {
  return column_of(dataset, input, kImageColumn, ColumnKind::kImage, /*may_be_ragged=*/true);
}

at::Tensor empty_images(int64_t count, const DatasetColumn& column) {
  std::vector<int64_t> shape = column.decl().shape;
  shape.insert(shape.begin(), count);
  return at::empty(shape, at::kByte);
}

}  // namespace

at::Tensor images_of_row(const Dataset& dataset, const std::string& input, int64_t row) {
  const DatasetColumn& column = image_column(dataset, input);
  at::Tensor images = empty_images(column.items(row), column);
  for (int64_t item = 0; item < column.items(row); ++item) {
    column.copy(row, item, images.mutable_data_ptr<uint8_t>() + item * column.decl().width());
  }
  return images;
}

at::Tensor first_images(const Dataset& dataset, const std::string& input, int64_t most) {
  const DatasetColumn& column = image_column(dataset, input);
  const int64_t count = std::min(most, dataset.size());
  at::Tensor images = empty_images(count, column);
  for (int64_t row = 0; row < count; ++row) {
    if (column.items(row) == 0) {
      throw DataError("row " + format_count(row + 1) + " of the input '" + input +
                      "' has no image");
    }
    column.copy(row, 0, images.mutable_data_ptr<uint8_t>() + row * column.decl().width());
  }
  return images;
}

ChestFeatures chest_features_of(const at::Tensor& image, const std::string& input) {
  const int64_t size = image.size(-1);
  if (image.numel() != size * size || size % 64 != 0) {
    std::vector<std::string> sizes;
    for (const int64_t each : image.sizes()) sizes.push_back(std::to_string(each));
    throw DataError("the images of the input '" + input + "' have " + join(sizes, "x") +
                    " bytes; findings are measured in images of 1xSxS bytes, S a multiple of 64");
  }
  const at::Tensor bytes = image.contiguous();
  return chest_features(
      std::span(bytes.const_data_ptr<uint8_t>(), static_cast<size_t>(size * size)), size);
}

std::vector<std::vector<ChestReading>> chest_readings(const Dataset& dataset,
                                                      const std::string& input) {
  std::vector<std::vector<ChestReading>> rows;
  for (int64_t row = 0; row < dataset.size(); ++row) {
    const at::Tensor images = images_of_row(dataset, input, row);
    std::vector<ChestReading>& readings = rows.emplace_back();
    for (int64_t item = 0; item < images.size(0); ++item) {
      readings.push_back(read_chest(chest_features_of(images[item], input)));
    }
  }
  return rows;
}

std::vector<ChestAttributes> chest_attributes(const Dataset& dataset, const std::string& input) {
  const DatasetColumn& column = column_of(dataset, input, kAttributesColumn, ColumnKind::kVector,
                                          /*may_be_ragged=*/false);
  const auto is_wrong = [&](const std::string& what) {
    throw DataError("the column '" + std::string(kAttributesColumn) + "' of the input '" + input +
                    "' has " + what + ", not " + std::to_string(kChestAttributes) +
                    " zeros and ones");
  };
  if (column.decl().width() != int64_t{kChestAttributes}) {
    is_wrong(format_count(column.decl().width(), "value"));
  }
  std::vector<ChestAttributes> rows;
  for (int64_t row = 0; row < column.size(); ++row) {
    std::array<float, kChestAttributes> values = {};
    column.copy(row, 0, values.data());
    ChestAttributes& attributes = rows.emplace_back();
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] != 0 && values[i] != 1) is_wrong("the value " + significant(values[i], 4));
      attributes[i] = values[i] == 1;
    }
  }
  return rows;
}

}  // namespace lvtext
