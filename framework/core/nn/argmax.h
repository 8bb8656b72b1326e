// The largest element of each row.
#pragma once

#include <ATen/core/Tensor.h>

namespace lvtext {

/// For each row of `scores` [N, V] (V >= 1) the place of its largest element, of equal ones the
/// first: [N] int64. Elements that are not a number are passed over on the CPU in float32. No
/// gradient.
at::Tensor first_argmax(const at::Tensor& scores);

}  // namespace lvtext
