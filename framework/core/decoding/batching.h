// Processing of sentences in batches of similar length.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <span>
#include <vector>

#include "framework/core/model/batch.h"

namespace lvtext {

/// Calls `work` with batches of at most `batch` sentences, longest first, and their indices in
/// `sentences` ([B] int64). No gradients.
void for_each_batch(std::span<const TokenIds> sentences, int64_t batch,
                    const std::function<void(const Tokens&, const at::Tensor& indices)>& work);

/// The same with batches of sentences of equal length, which have no padding: a model that reads
/// padding then computes the same for a sentence, whatever the other sentences are.
void for_each_unpadded_batch(
    std::span<const TokenIds> sentences, int64_t batch,
    const std::function<void(const Tokens&, const at::Tensor& indices)>& work);

/// Computes one row per sentence, in the order of `sentences`; `compute` must return [B] or [B, K].
/// The result is on the CPU, and undefined if there are no sentences.
at::Tensor rows_of_batches(std::span<const TokenIds> sentences, int64_t batch,
                           const std::function<at::Tensor(const Tokens&)>& compute);

/// Converts a tensor [N] to doubles.
std::vector<double> to_doubles(const at::Tensor& values);

}  // namespace lvtext
