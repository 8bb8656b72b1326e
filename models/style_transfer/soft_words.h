// Word vectors expected under a softmax with temperature, as the input of a decoder.
#pragma once

#include <ATen/core/Tensor.h>

#include "framework/core/tensor/philox.h"

namespace lvtext {

/// Weights of an output layer and a table of word vectors.
struct WordLayers {
  at::Tensor weight;  ///< [V, H]
  at::Tensor bias;    ///< [V]
  at::Tensor table;   ///< [V, E]
};

struct SoftWords {
  at::Tensor vectors;  ///< [B, E]
  at::Tensor likely;   ///< [B] int64: the most probable words; without gradient
};

/// The vectors p table with p = softmax((logits + noise) / temperature) and logits = hidden
/// weight^T
/// + bias, for `hidden` [B, H]. `noise` is [B, V] or undefined, `temperature` a scalar; both are
/// constants. In float32 or float64, in mixed precision too: near temperature 0, small errors of
/// the logits change p. Saves p [B, V] only. Backward does not support create_graph.
SoftWords soft_words(const at::Tensor& hidden, const WordLayers& layers, const at::Tensor& noise,
                     const at::Tensor& temperature);

/// Gumbel(0, 1) noise -log(-log U), [B, width]; keyed by example.
at::Tensor gumbel(const NoiseKey& key, const at::Tensor& example_ids, int64_t width,
                  const at::TensorOptions& options);

}  // namespace lvtext
