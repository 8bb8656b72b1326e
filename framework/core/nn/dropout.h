// Dropout with noise keyed by example. `p` is the probability of dropping; 0 is an exact no-op in
// all functions.
#pragma once

#include <ATen/core/Tensor.h>

#include "framework/core/tensor/philox.h"

namespace lvtext {

/// Returns a mask [B, width] with elements 0 (with probability `p`) or 1/(1 - p), to be used at all
/// time steps of a sentence (Gal and Ghahramani 2016). Undefined if p is 0. `p` must be in [0, 1).
at::Tensor variational_mask(const NoiseKey& key, const at::Tensor& example_ids, int64_t width,
                            double p, const at::TensorOptions& options);

/// Dropout of whole words (Gal and Ghahramani 2016): a mask [B, T, 1] for ids [B, T] with elements
/// 0 (with probability `p`) or 1/(1 - p), the same at all positions of an id in a sentence.
/// Undefined if p is 0, which must be in [0, 1). Example ids must be below 2^31.
at::Tensor type_mask(const at::Tensor& ids, const NoiseKey& key, const at::Tensor& example_ids,
                     double p, const at::TensorOptions& options);

/// Multiplies x [B, T, E] by a mask [B, E] at every step; returns x if the mask is undefined.
at::Tensor apply_variational(const at::Tensor& x, const at::Tensor& mask);

/// Standard dropout: sets every element of x [B, ...] to 0 with probability `p`, which must be in
/// [0, 1), and divides the others by 1 - p. The draws at position t of [B, T, E] do not depend on
/// the padding.
at::Tensor dropout(const at::Tensor& x, const NoiseKey& key, const at::Tensor& example_ids,
                   double p);

/// Word dropout (Bowman et al. 2016): replaces every id of input_ids [B, T] except `bos` by `unk`
/// with probability `p`, in [0, 1], independently per position.
at::Tensor word_dropout(const at::Tensor& input_ids, const NoiseKey& key,
                        const at::Tensor& example_ids, double p, int64_t bos, int64_t unk);

/// Returns the same draws as a mask [B, T, 1] of 0 and 1 for the embeddings. Undefined if p is 0.
at::Tensor word_mask(const at::Tensor& input_ids, const NoiseKey& key,
                     const at::Tensor& example_ids, double p, int64_t bos,
                     const at::TensorOptions& options);

}  // namespace lvtext
