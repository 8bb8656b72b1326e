#include "framework/pipeline/inference/shared/vector_column.h"

#include <ATen/ATen.h>

#include <utility>

#include "framework/core/base/error.h"

namespace lvtext {

const std::vector<EnumName<OfRow>>& enum_names(OfRow) {
  static const std::vector<EnumName<OfRow>> names = {{"all", OfRow::kAll, "all of them"},
                                                     {"first", OfRow::kFirst, "the first one"}};
  return names;
}

FieldTypes vector_type(const std::string& name) {
  return {{name, {.kind = ColumnKind::kVector, .shape = {1}}}};
}

InferredColumn VectorItems::column(ColumnDecl decl, const at::Tensor& results,
                                   int64_t copies) const {
  InferredColumn column{.decl = std::move(decl), .values = results};
  column.decl.ragged = is_ragged || copies > 1;
  if (!column.decl.ragged) return column;
  for (const int64_t row : rows) column.rows.push_back(row * copies);
  return column;
}

VectorItems vector_items(const Dataset& dataset, const std::string& column, OfRow of_row) {
  const DatasetColumn& from = dataset.column(column);
  if (from.decl().kind != ColumnKind::kVector) {
    throw ConfigError("the column '" + column + "' has no vectors: it is a column of kind " +
                      enum_name(from.decl().kind));
  }
  VectorItems items{.rows = {0}, .is_ragged = from.decl().ragged && of_row == OfRow::kAll};
  for (int64_t row = 0; row < from.size(); ++row) {
    const int64_t count = items.is_ragged ? from.items(row) : 1;
    if (from.items(row) < 1 && !items.is_ragged) {
      throw DataError("row " + std::to_string(row) + " of the column '" + column +
                      "' has no vector");
    }
    items.rows.push_back(items.rows.back() + count);
  }
  const int64_t width = from.decl().width();
  items.values = at::empty({items.rows.back(), width});
  auto* out = items.values.mutable_data_ptr<float>();
  for (int64_t row = 0; row < from.size(); ++row) {
    for (int64_t i = 0; i < items.rows[row + 1] - items.rows[row]; ++i, out += width) {
      from.copy(row, i, out);
    }
  }
  return items;
}

}  // namespace lvtext
