// Loss of a chunk of logits, its gradient and further results of each row, for softmax and entmax.
#pragma once

#include "framework/core/tensor/torch.h"

namespace lvtext {

/// Results of R rows of logits; undefined tensors are not computed.
struct RowResults {
  at::Tensor loss;         ///< [R] in the logits' type
  at::Tensor probability;  ///< probability of the target, [R] in the logits' type
  at::Tensor squares;      ///< sum of the squares of all probabilities, [R] in the logits' type
  at::Tensor support;      ///< number of probabilities that are not 0 by definition, [R] int64

  /// Results of all rows that are defined here, for rows [from, from + count).
  RowResults narrow(int64_t from, int64_t count) const;
};

/// For each row of `logits` [R, V] plus `bias` [V] (undefined: 0) computes loss[r] = logsumexp -
/// logits[r, targets[r]] and what else `results` asks for. If `scale` [R] is defined, replaces the
/// logits by their gradient, scale[r] * (softmax - one-hot); otherwise their values are unspecified
/// afterwards. Supports all devices, float32 and float64. `targets` is [R] int64, or has
/// distributions [R, V] in the logits' type in place of one-hot vectors (loss only).
void softmax_chunk(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& targets,
                   const at::Tensor& scale, const RowResults& results);

/// The same for entmax with `alpha` > kSoftmaxAlpha and `targets` [R] int64 (entmax.h); the
/// gradient is scale[r] * (p - one-hot).
void entmax_chunk(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& targets,
                  double alpha, const at::Tensor& scale, const RowResults& results);

/// The same for mixtures of K softmaxes: rows nK to nK + K - 1 of `logits` [C K, V] are those of
/// token n, whose loss is -log sum_k exp(log_prior[n, k] - loss of row nK + k). `log_prior` is [C,
/// K], `targets`, `scale` and `loss` are [C]. With `scale`, replaces the logits by their gradient
/// and sets `of_prior` [C, K] to that of log_prior.
void mixture_chunk(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& targets,
                   const at::Tensor& log_prior, const at::Tensor& scale, const at::Tensor& loss,
                   const at::Tensor& of_prior);

}  // namespace lvtext
