#include "framework/core/decoding/vector_rows.h"

#include <ATen/ATen.h>

#include <vector>

#include "framework/core/base/error.h"

namespace lvtext {

at::Tensor vector_rows(const Dataset& dataset, const std::string& column,
                       const std::string& reader) {
  std::vector<std::string> names;
  for (const DatasetColumn& each : dataset.columns()) {
    const bool is_requested = column.empty() || each.decl().name == column;
    if (is_requested && each.decl().kind == ColumnKind::kVector) names.push_back(each.decl().name);
  }
  if (names.size() != 1) {
    throw ConfigError(reader + ": the data set has " +
                      (column.empty() ? std::to_string(names.size()) +
                                            " columns of vectors; set `column` to the one to read"
                                      : "no column '" + column + "' of vectors"));
  }
  const DatasetColumn& from = dataset.column(names.front());
  if (from.decl().ragged) {
    throw ConfigError(reader + ": the column '" + names.front() +
                      "' does not have one vector for each row");
  }
  const int64_t width = from.decl().width();
  at::Tensor vectors = at::empty({from.size(), width});
  auto* out = vectors.mutable_data_ptr<float>();
  for (int64_t row = 0; row < from.size(); ++row, out += width) from.copy(row, 0, out);
  return vectors;
}

}  // namespace lvtext
