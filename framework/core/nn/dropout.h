// Dropout whose draws belong to examples. A keep probability of 1 is an exact no-op everywhere.
#pragma once

#include <ATen/core/Tensor.h>

#include "framework/core/tensor/philox.h"

namespace lvtext {

/// [B, width] of 0 or 1/keep, one mask per sentence for all its time steps (Gal and Ghahramani
/// 2016). Undefined if keep is 1. `keep` in (0, 1].
at::Tensor variational_mask(const NoiseKey& key, const at::Tensor& example_ids, int64_t width,
                            double keep, const at::TensorOptions& options);

/// Multiplies x [B, T, E] by a mask [B, E] at every step; x itself if the mask is undefined.
at::Tensor apply_variational(const at::Tensor& x, const at::Tensor& mask);

/// Ordinary dropout: every element of x [B, ...] becomes 0 with probability 1 - keep, the rest is
/// divided by keep. Position t of [B, T, E] draws the same numbers whatever the padding.
at::Tensor dropout(const at::Tensor& x, const NoiseKey& key, const at::Tensor& example_ids,
                   double keep);

/// Word dropout (Bowman et al. 2016): every id of input_ids [B, T] but `bos` becomes `unk` with
/// probability 1 - keep, by position.
at::Tensor word_dropout(const at::Tensor& input_ids, const NoiseKey& key,
                        const at::Tensor& example_ids, double keep, int64_t bos, int64_t unk);

/// The same choice as a mask [B, T, 1] of 0 and 1 that multiplies the embeddings. Undefined if keep
/// is 1.
at::Tensor word_mask(const at::Tensor& input_ids, const NoiseKey& key,
                     const at::Tensor& example_ids, double keep, int64_t bos,
                     const at::TensorOptions& options);

}  // namespace lvtext
