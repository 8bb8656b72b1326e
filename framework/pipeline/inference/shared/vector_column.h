// Columns of vectors as inputs and results of inference.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/datasets/dataset.h"
#include "framework/core/options/options.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/shared/known_columns.h"

namespace lvtext {

/// Which vectors of a row with several are used.
enum class OfRow { kAll, kFirst };
const std::vector<EnumName<OfRow>>& enum_names(OfRow);

/// KnownColumns::columns() of a single column of vectors.
FieldTypes vector_type(const std::string& name);

/// All vectors of a column, row by row.
struct VectorItems {
  at::Tensor values;          ///< [N, D] float32
  std::vector<int64_t> rows;  ///< index of each row's first vector, and N
  bool is_ragged = false;     ///< otherwise each row has one vector

  /// The column of results with `copies` consecutive values for each vector, [N * copies, ...];
  /// ragged if there are several for a row.
  InferredColumn column(ColumnDecl decl, const at::Tensor& results, int64_t copies = 1) const;
};

/// Reads a column of vectors. Throws ConfigError if it is of another kind, DataError if there is no
/// such column, or a row has no vector and the first one is requested.
VectorItems vector_items(const Dataset& dataset, const std::string& column, OfRow of_row);

}  // namespace lvtext
