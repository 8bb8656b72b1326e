// Sampling of sentences from a model: a fixed sequence for each (model, seed, policy).
#pragma once

#include <cstdint>

#include "framework/core/decoding/decoder.h"
#include "framework/core/model/capabilities.h"

namespace lvtext {

/// Default decoding policy of samples: greedy for models with a latent vector, which is sampled
/// from the prior; ancestral sampling for models without one.
PolicyOptions sampling_policy(bool has_prior);

/// Returns sentences `first` to `first + count - 1` of the sequence. `prior` is null for models
/// without a latent variable. Sentence i depends only on (seed, i) and the options, not on `first`
/// and `count`.
Decoded sample_sentences(NextTokenModel& decoder, PriorSampler* prior, int64_t first, int64_t count,
                         int64_t seed, const DecodeOptions& options);

}  // namespace lvtext
