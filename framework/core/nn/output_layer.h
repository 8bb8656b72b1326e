// Output layer with fused cross entropy that never allocates all logits [N, V].
#pragma once

#include "framework/core/nn/init.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

/// Negative log-likelihood of each row: hidden [N, H], weight [V, H], bias [V], targets [N] int64
/// -> [N], in hidden's type. For scoring and for losses with differentiable row weights: saves one
/// number per row and recomputes the logits in backward. Backward does not support create_graph.
at::Tensor cross_entropy_rows(const at::Tensor& hidden, const at::Tensor& weight,
                              const at::Tensor& bias, const at::Tensor& targets);

/// Sum over rows of row_weights[n] * NLL[n] (undefined: 1), a scalar; for training. The gradients
/// are computed in the forward pass, while a chunk of logits is in the cache, so nothing is
/// recomputed. `row_weights` [N] is a constant. Backward does not support create_graph.
at::Tensor cross_entropy_sum(const at::Tensor& hidden, const at::Tensor& weight,
                             const at::Tensor& bias, const at::Tensor& targets,
                             const at::Tensor& row_weights = {});

/// The same for target distributions: the sum over rows of -sum_v p[n, v] log softmax(logits[n])_v,
/// where `probabilities` [N, V], in hidden's type, are constants whose rows sum to 1.
at::Tensor distribution_cross_entropy_sum(const at::Tensor& hidden, const at::Tensor& weight,
                                          const at::Tensor& bias, const at::Tensor& probabilities);

/// Linear H -> V; parameters "weight" [V, H] and "bias" [V].
class OutputLayer : public torch::nn::Module {
 public:
  /// Initializes the weight with U(-bound, bound) and the bias with 0.
  OutputLayer(const Init& init, int64_t hidden, int64_t vocabulary, double bound = 0.1);
  const at::Tensor& weight() const { return weight_; }
  const at::Tensor& bias() const { return bias_; }
  /// hidden [N, H] -> unnormalized logits [N, V], for argmax and sampling policies.
  at::Tensor logits(const at::Tensor& hidden) const;
  /// cross_entropy_rows() and cross_entropy_sum() with these weights.
  at::Tensor nll_rows(const at::Tensor& hidden, const at::Tensor& targets) const;
  at::Tensor nll_sum(const at::Tensor& hidden, const at::Tensor& targets,
                     const at::Tensor& row_weights = {}) const;

 private:
  at::Tensor weight_, bias_;
};

}  // namespace lvtext
