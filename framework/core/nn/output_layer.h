// Output layer with a fused loss, softmax, a mixture of softmaxes or entmax, that never allocates
// all logits [N, V].
#pragma once

#include "framework/core/nn/init.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

/// Loss of each row: hidden [N, H], weight [V, H], bias [V] (undefined: none), targets [N] int64 ->
/// [N], in hidden's type. With `alpha` 1 the negative log-likelihood under softmax, up to 4 the
/// entmax loss (entmax.h). For scoring and for losses with differentiable row weights: saves one
/// number per row and recomputes the logits in backward. Backward does not support create_graph.
at::Tensor output_loss_rows(const at::Tensor& hidden, const at::Tensor& weight,
                            const at::Tensor& bias, const at::Tensor& targets, double alpha = 1);

/// What is known of the distribution of each row, [N] each.
struct OutputRows {
  at::Tensor loss;         ///< as output_loss_rows()
  at::Tensor probability;  ///< probability of the target
  at::Tensor squares;      ///< sum of the squares of all probabilities
  at::Tensor support;      ///< number of probabilities above 0 (softmax: V), int64
};

/// Sum over rows of row_weights[n] * loss[n] (undefined: 1), a scalar; for training. The gradients
/// are computed in the forward pass, while a chunk of logits is in the cache, so nothing is
/// recomputed; none for inputs that are constant. With entmax the gradient of the logits is sparse,
/// and only rows of the weight in its support are read and changed. `row_weights` [N] is a
/// constant. `rows` (optional) is set to further results of each row. Backward does not support
/// create_graph.
at::Tensor output_loss_sum(const at::Tensor& hidden, const at::Tensor& weight,
                           const at::Tensor& bias, const at::Tensor& targets,
                           const at::Tensor& row_weights = {}, double alpha = 1,
                           OutputRows* rows = nullptr);

/// Results of each row without gradient, in one pass.
OutputRows output_rows(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
                       const at::Tensor& targets, double alpha = 1);

/// Cross entropy with target distributions: the sum over rows of -sum_v p[n, v] log
/// softmax(logits[n])_v, where `probabilities` [N, V], in hidden's type, are constants whose rows
/// sum to 1.
at::Tensor distribution_cross_entropy_sum(const at::Tensor& hidden, const at::Tensor& weight,
                                          const at::Tensor& bias, const at::Tensor& probabilities);

/// A mixture of K softmaxes for each of N tokens, with one table for all (Yang, Dai, Salakhutdinov
/// and Cohen 2018, "Breaking the softmax bottleneck: a high-rank RNN language model"): p[n, v] =
/// sum_k exp(log_prior[n, k]) softmax_v(latents[n, k] weight^T + bias).
struct Mixture {
  at::Tensor latents;         ///< [N, K, D]
  at::Tensor log_prior;       ///< [N, K]; the exponentials of a row sum to 1
  at::Tensor weight;          ///< [V, D]
  at::Tensor bias = {};       ///< [V] or undefined
  at::Tensor added_ids = {};  ///< [S] int64, distinct; undefined: none
  /// [S, D], added to the rows `added_ids` of the weight: rows that are trained although the weight
  /// is constant. Only their gradient is computed then.
  at::Tensor added = {};
};

/// Sum over tokens of row_weights[n] * -log p[n, targets[n]], as output_loss_sum(): the gradients
/// of a chunk of tokens are computed while their K rows of logits are in the cache, so [N, K, V] is
/// never in memory and nothing is recomputed. Backward does not support create_graph.
at::Tensor mixture_loss_sum(const Mixture& mixture, const at::Tensor& targets,
                            const at::Tensor& row_weights = {});

/// -log p[n, targets[n]] of each token, [N], without gradient.
at::Tensor mixture_loss_rows(const Mixture& mixture, const at::Tensor& targets);

/// log p, [N, V], without gradient; the K rows are in memory for a chunk of tokens at a time.
at::Tensor mixture_log_probabilities(const Mixture& mixture);

/// Linear H -> V; parameters "weight" [V, H] and "bias" [V].
class OutputLayer : public torch::nn::Module {
 public:
  /// Initializes the weight with U(-bound, bound) and the bias with 0.
  OutputLayer(const Init& init, int64_t hidden, int64_t vocabulary, double bound = 0.1);
  const at::Tensor& weight() const { return weight_; }
  const at::Tensor& bias() const { return bias_; }
  /// hidden [N, H] -> unnormalized logits [N, V], for argmax and sampling policies.
  at::Tensor logits(const at::Tensor& hidden) const;
  /// output_loss_rows() and output_loss_sum() with these weights, for softmax.
  at::Tensor nll_rows(const at::Tensor& hidden, const at::Tensor& targets) const;
  at::Tensor nll_sum(const at::Tensor& hidden, const at::Tensor& targets,
                     const at::Tensor& row_weights = {}) const;

 private:
  at::Tensor weight_, bias_;
};

}  // namespace lvtext
