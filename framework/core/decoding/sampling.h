// Sentences drawn from a model: one sequence for each (model, seed, policy).
#pragma once

#include <cstdint>

#include "framework/core/decoding/decoder.h"
#include "framework/core/model/capabilities.h"

namespace lvtext {

/// Default decoding of samples: greedy from a sample of the prior; ancestral
/// sampling for models without one.
PolicyOptions sampling_policy(bool has_prior);

/// Sentences `first` to `first + count - 1` of the sequence. `prior` is null for models without a
/// latent variable. Sentence i depends on (seed, i) and the options alone, not on `first` and
/// `count`.
Decoded sample_sentences(NextTokenModel& decoder, PriorSampler* prior, int64_t first, int64_t count,
                         int64_t seed, const DecodeOptions& options);

}  // namespace lvtext
