// Softmax, negative log-likelihood and its gradient over a chunk of logits, in place.
#pragma once

#include "framework/core/tensor/torch.h"

namespace lvtext {

/// For each row of `logits` [R, V] plus `bias` [V] (undefined: nothing is added): nll[r] =
/// logsumexp - logits[r, targets[r]]. With `scale` [R] defined, logits become scale[r] * (softmax -
/// one-hot), the gradient; otherwise they are left as they are or destroyed. Any device; float32
/// and float64. `nll` [R], of the logits' type.
void softmax_chunk(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& targets,
                   const at::Tensor& scale, const at::Tensor& nll);

}  // namespace lvtext
