// Reconstruction and language-model losses: sums over tokens, end mark included, padding excluded.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "framework/nn/output_layer.h"

namespace lvtext {

/// Sum of the NLL of all real targets of the batch, a scalar. `outputs` [B, T, H] are the decoder's
/// states, `targets` [B, T] int64 with `target_lengths` [B] (end mark counted). For training.
at::Tensor sequence_nll_sum(const OutputLayer& layer, const at::Tensor& outputs,
                            const at::Tensor& targets, const at::Tensor& target_lengths);

/// NLL of each sentence in nats, end mark included: [B]. Differentiable, but slower than the sum.
at::Tensor sentence_nll(const OutputLayer& layer, const at::Tensor& outputs,
                        const at::Tensor& targets, const at::Tensor& target_lengths);

/// How well a text is predicted, in the units that papers use.
struct NllStatistics {
  int64_t sentences = 0;
  int64_t tokens = 0;  ///< end marks included
  double nats_per_sentence = 0;
  double bits_per_token = 0;
  double perplexity = 0;  ///< exp(total nats / tokens): never a mean of perplexities
};

/// Statistics of `total_nats` over `sentences` with `tokens` targets, both at least 1.
NllStatistics nll_statistics(double total_nats, int64_t sentences, int64_t tokens);

}  // namespace lvtext
