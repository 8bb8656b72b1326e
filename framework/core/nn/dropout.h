// Dropout with noise keyed by example. A keep probability of 1 is an exact no-op in all functions.
#pragma once

#include <ATen/core/Tensor.h>

#include "framework/core/tensor/philox.h"

namespace lvtext {

/// Returns a mask [B, width] with elements 0 or 1/keep, to be used at all time steps of a sentence
/// (Gal and Ghahramani 2016). Undefined if keep is 1. `keep` must be in (0, 1].
at::Tensor variational_mask(const NoiseKey& key, const at::Tensor& example_ids, int64_t width,
                            double keep, const at::TensorOptions& options);

/// Multiplies x [B, T, E] by a mask [B, E] at every step; returns x if the mask is undefined.
at::Tensor apply_variational(const at::Tensor& x, const at::Tensor& mask);

/// Standard dropout: sets every element of x [B, ...] to 0 with probability 1 - keep and divides
/// the others by keep. The draws at position t of [B, T, E] do not depend on the padding.
at::Tensor dropout(const at::Tensor& x, const NoiseKey& key, const at::Tensor& example_ids,
                   double keep);

/// Word dropout (Bowman et al. 2016): replaces every id of input_ids [B, T] except `bos` by `unk`
/// with probability 1 - keep, independently per position.
at::Tensor word_dropout(const at::Tensor& input_ids, const NoiseKey& key,
                        const at::Tensor& example_ids, double keep, int64_t bos, int64_t unk);

/// Returns the same draws as a mask [B, T, 1] of 0 and 1 for the embeddings. Undefined if keep is
/// 1.
at::Tensor word_mask(const at::Tensor& input_ids, const NoiseKey& key,
                     const at::Tensor& example_ids, double keep, int64_t bos,
                     const at::TensorOptions& options);

}  // namespace lvtext
