// Max pooling of the states of a sentence.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "framework/core/options/options.h"

namespace lvtext {

/// Variants of InferSent's max pooling over time. Version 1 included the zeros at padding.
enum class Pooling { kV1Batch, kV1Zero, kExact };
const std::vector<EnumName<Pooling>>& enum_names(Pooling);

/// Maximum of each unit over time: states [B, T, S], zeros at padding, lengths [B] (int64 on the
/// CPU, at least 1) -> [B, S]. kV1Batch pools over the length of the longest sentence of the batch,
/// so the result depends on the batch; the results of the other variants do not. Differentiable.
at::Tensor pool_states(const at::Tensor& states, const at::Tensor& lengths, Pooling pooling);

}  // namespace lvtext
