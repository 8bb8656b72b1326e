// The output layer and its cross entropy as one operation that never holds [N, V].
#pragma once

#include "framework/core/nn/init.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

/// Negative log-likelihood of each row: hidden [N, H], weight [V, H], bias [V], targets [N] int64
/// -> [N], in hidden's type. For scoring and for losses that weigh rows by
/// something differentiable: keeps one number per row and computes the logits again in backward.
/// Backward refuses create_graph.
at::Tensor cross_entropy_rows(const at::Tensor& hidden, const at::Tensor& weight,
                              const at::Tensor& bias, const at::Tensor& targets);

/// Sum over rows of row_weights[n] * NLL[n] (undefined: 1), a scalar; for training. The gradients
/// are computed in the forward pass while a chunk of logits is in the cache: no recomputation.
/// `row_weights` [N] is a constant. Backward refuses create_graph.
at::Tensor cross_entropy_sum(const at::Tensor& hidden, const at::Tensor& weight,
                             const at::Tensor& bias, const at::Tensor& targets,
                             const at::Tensor& row_weights = {});

/// Linear H -> V; parameters "weight" [V, H] and "bias" [V].
class OutputLayer : public torch::nn::Module {
 public:
  /// Weight U(-bound, bound), bias 0.
  OutputLayer(const Init& init, int64_t hidden, int64_t vocabulary, double bound = 0.1);
  const at::Tensor& weight() const { return weight_; }
  const at::Tensor& bias() const { return bias_; }
  /// hidden [N, H] -> [N, V], unnormalized: enough for argmax and for sampling policies.
  at::Tensor logits(const at::Tensor& hidden) const;
  /// cross_entropy_rows() and cross_entropy_sum() with these weights.
  at::Tensor nll_rows(const at::Tensor& hidden, const at::Tensor& targets) const;
  at::Tensor nll_sum(const at::Tensor& hidden, const at::Tensor& targets,
                     const at::Tensor& row_weights = {}) const;

 private:
  at::Tensor weight_, bias_;
};

}  // namespace lvtext
