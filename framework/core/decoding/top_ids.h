// The most probable tokens of each row.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include <vector>

namespace lvtext {

/// The ids of the `k` largest values of each row of `values` ([N, V] float32, no NaN; 1 <= k <=
/// V - the number of `excluded`) in descending order, of equal values the lowest id first: [N, k]
/// int64. The `excluded` ids are never among them. Does not sort whole rows.
at::Tensor top_ids(const at::Tensor& values, int64_t k, const std::vector<int32_t>& excluded);

}  // namespace lvtext
