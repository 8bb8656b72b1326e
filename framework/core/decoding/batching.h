// Sentences in large batches of similar length.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <span>
#include <vector>

#include "framework/core/model/batch.h"

namespace lvtext {

/// Calls `work` with batches of at most `batch` sentences, longest first, and their places ([B]
/// int64) among `sentences`. No gradients.
void for_each_batch(std::span<const TokenIds> sentences, int64_t batch,
                    const std::function<void(const Tokens&, const at::Tensor& places)>& work);

/// One row per sentence, in the order of `sentences`: `compute` gives [B] or [B, K]. The result is
/// on the CPU; undefined without sentences.
at::Tensor rows_of_batches(std::span<const TokenIds> sentences, int64_t batch,
                           const std::function<at::Tensor(const Tokens&)>& compute);

/// A [N] tensor as numbers.
std::vector<double> to_doubles(const at::Tensor& values);

}  // namespace lvtext
