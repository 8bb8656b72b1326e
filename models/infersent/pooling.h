// The states of a sentence's words as one vector.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "framework/core/options/options.h"

namespace lvtext {

/// How InferSent takes the maximum over time. Its first version let the zeros at padding take part.
enum class Pooling { kV1Batch, kV1Zero, kExact };
const std::vector<EnumName<Pooling>>& enum_names(Pooling);

/// The largest value of each unit over time: states [B, T, S], zeros at padding, lengths [B] (int64
/// on the CPU, at least 1) -> [B, S]. kV1Batch takes the longest sentence of the batch as the
/// batch's length, so the result depends on who stands in it; the others do not. Differentiable.
at::Tensor pool_states(const at::Tensor& states, const at::Tensor& lengths, Pooling pooling);

}  // namespace lvtext
