// The most probable tokens of each row.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "framework/text/token_ids.h"

namespace lvtext {

/// The lowest id that decoding may choose: padding and BOS have the two lowest ids.
inline constexpr int64_t kFirstAllowed = 2;
static_assert(kPad < kFirstAllowed && kBos < kFirstAllowed && kEos >= kFirstAllowed);

/// The ids of the `k` largest values of each row of `values` ([N, V] float32, no NaN; 1 <= k <=
/// V - kFirstAllowed) in descending order, of equal values the lowest id first: [N, k] int64.
/// Padding and BOS are never among them. Does not sort whole rows.
at::Tensor top_ids(const at::Tensor& values, int64_t k);

}  // namespace lvtext
