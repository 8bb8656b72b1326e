// Vectors of sentences from any model that has them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "framework/core/model/inputs.h"

namespace lvtext {

/// Posterior means of an Encoder, or the vectors of a SentenceEmbedder: [N, D] float32 on the CPU.
/// Encodes `batch` sentences together.
/// Throws DataError if a vector is not finite, which readers would reject as a damaged data set.
at::Tensor sentence_vectors(const LoadedModel& model, std::span<const TokenIds> sentences,
                            int64_t batch);

/// Throws that error if needed.
void check_finite_vectors(const at::Tensor& vectors);

}  // namespace lvtext
