// Vectors of the rows of a dataset, for models that decode them.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "framework/core/datasets/dataset.h"

namespace lvtext {

/// The vectors of a column, one for each row: [N, D] float32. An empty `column` is the only column
/// of vectors. Throws ConfigError, which begins with `reader`, if there are none or several, or if
/// a row may have several vectors.
at::Tensor vector_rows(const Dataset& dataset, const std::string& column,
                       const std::string& reader);

}  // namespace lvtext
