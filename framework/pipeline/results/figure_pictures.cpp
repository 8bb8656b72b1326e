#include "framework/pipeline/results/figure_pictures.h"

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

Picture picture_of(const DatasetColumn& column, int64_t row) {
  const auto& shape = column.decl().shape;  // [C, H, W]
  const int64_t channels = shape[0], size = shape[1] * shape[2];
  std::vector<uint8_t> planes(static_cast<size_t>(channels * size));
  column.copy(row, 0, planes.data());
  Picture picture{static_cast<int>(shape[2]), static_cast<int>(shape[1]), {}};
  picture.rgb.reserve(static_cast<size_t>(3 * size));
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t channel = 0; channel < 3; ++channel) {
      picture.rgb.push_back(planes[(channels == 1 ? 0 : channel * size) + i]);
    }
  }
  return picture;
}

}  // namespace

std::vector<Picture> pictures_of(const Dataset& dataset, int64_t count) {
  const auto& columns = dataset.columns();
  const auto found = std::find_if(columns.begin(), columns.end(), [](const DatasetColumn& column) {
    return column.decl().kind == ColumnKind::kImage;
  });
  if (found == columns.end()) {
    throw DataError("there are no images; the columns are " + join(dataset.names()));
  }
  const auto& shape = found->decl().shape;
  if (shape[0] != 1 && shape[0] != 3) {
    throw DataError("the images have " + std::to_string(shape[0]) +
                    " channels; pictures have 1 or 3");
  }
  std::vector<Picture> pictures;
  for (int64_t row = 0; row < found->size(); ++row) {
    if (static_cast<int64_t>(pictures.size()) == count) break;
    if (found->items(row) > 0) pictures.push_back(picture_of(*found, row));
  }
  return pictures;
}

}  // namespace lvtext
