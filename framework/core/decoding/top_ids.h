// Row-wise top-k with a deterministic order.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

namespace lvtext {

/// Returns the ids of the `k` largest values of each row of `values` ([N, V] float32, no NaN; 1 <=
/// k <= V minus the number of `excluded`) in descending order, lowest id first for equal values:
/// [N, k] int64. Ids in `excluded` are not returned. Does not sort whole rows. On the CPU a row
/// with a NaN has arbitrary ids.
at::Tensor top_ids(const at::Tensor& values, int64_t k, std::span<const int32_t> excluded);

}  // namespace lvtext
