// Row-wise argmax.
#pragma once

#include <ATen/core/Tensor.h>

namespace lvtext {

/// Returns the index of the largest element of each row of `scores` [N, V] (V >= 1), the first of
/// equal ones: [N] int64. On the CPU in float32, NaNs are ignored. No gradient.
at::Tensor first_argmax(const at::Tensor& scores);

}  // namespace lvtext
