// In-place softmax, negative log-likelihood and gradient of a chunk of logits.
#pragma once

#include "framework/core/tensor/torch.h"

namespace lvtext {

/// For each row of `logits` [R, V] plus `bias` [V] (undefined: 0) computes nll[r] = logsumexp -
/// logits[r, targets[r]]. If `scale` [R] is defined, replaces the logits by their gradient,
/// scale[r] * (softmax - one-hot); otherwise their values are unspecified afterwards. Supports all
/// devices, float32 and float64. `nll` [R] has the logits' type. `targets` is [R] int64, or has
/// distributions [R, V] in the logits' type in place of one-hot vectors.
void softmax_chunk(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& targets,
                   const at::Tensor& scale, const at::Tensor& nll);

}  // namespace lvtext
