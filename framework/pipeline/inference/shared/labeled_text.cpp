#include "framework/pipeline/inference/shared/labeled_text.h"

#include <ATen/ATen.h>

namespace lvtext {

Text sentences_of(const Inputs& inputs, const std::string& input) {
  if (inputs.dataset(input).column("text").decl().ragged) {
    throw DataError("the column 'text' of the input `" + input +
                    "` has several texts per row; derive a data set with `flatten: text`");
  }
  return inputs.text(input, "text");
}

at::Tensor labels_of(const Dataset& data, const std::string& column) {
  const DatasetColumn& from = data.column(column);
  if (from.decl().kind != ColumnKind::kLabel) {
    throw DataError("the column '" + column + "' is not a label");
  }
  at::Tensor labels = at::empty({from.size()}, at::kLong);
  auto* out = labels.mutable_data_ptr<int64_t>();
  for (int64_t row = 0; row < from.size(); ++row) from.copy(row, 0, out + row);
  return labels;
}

std::vector<InferredColumn> source_columns(const Inputs& inputs, const std::string& input) {
  const Dataset data = inputs.dataset(input);
  std::vector<InferredColumn> columns = {
      {.decl = {.name = "source"}, .text = sentences_of(inputs, input)}};
  for (const DatasetColumn& column : data.columns()) {
    if (column.decl().kind != ColumnKind::kLabel) continue;
    columns.push_back({.decl = column.decl(), .values = labels_of(data, column.decl().name)});
  }
  return columns;
}

}  // namespace lvtext
