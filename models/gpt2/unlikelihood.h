// Unlikelihood of repetitions (Welleck, Kulikov, Roller, Dinan, Cho and Weston 2020, "Neural Text
// Generation with Unlikelihood Training").
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lvtext {

/// Whether a token belongs to an n-gram that occurred earlier in its text: ids [B, T] on the CPU ->
/// [B, T] bool. The authors' code stops one n-gram early and misses one that ends at the last token
/// (https://github.com/facebookresearch/unlikelihood_training, custom/gpt2/run_gpt2.py).
at::Tensor repeated_ngrams(const at::Tensor& ids, int64_t order);

/// -ln(1 - p(target)) of each row under softmax: hidden [N, C], weight [V, C] of the output layer,
/// targets [N] int64 -> [N]. Differentiable. Where p is almost 1, ln(1 - p) is computed from the
/// scores of the other tokens, so that loss and gradient stay finite and large.
at::Tensor unlikelihood_rows(const at::Tensor& hidden, const at::Tensor& weight,
                             const at::Tensor& targets);

/// The token-level loss of one text: the sum over its predictions t of the sum over the distinct
/// earlier tokens c, except the target, of -ln(max(1 - p_t(c), 1e-5)). `ids` [L] int64, hidden [L -
/// 1, C] of the predictions. Differentiable. The authors' code also takes the tokens of the texts
/// before it in the batch; here a text does not depend on others.
at::Tensor token_unlikelihood(const at::Tensor& hidden, const at::Tensor& weight,
                              const at::Tensor& ids);

}  // namespace lvtext
