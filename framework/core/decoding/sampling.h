// Sentences drawn from a model: one sequence for each (model, seed, policy), whoever asks for it.
#pragma once

#include <cstdint>

#include "framework/core/decoding/decoder.h"
#include "framework/core/model/capabilities.h"

namespace lvtext {

/// How samples are decoded where nobody says otherwise: greedily from a drawn code; ancestral
/// sampling for models without one.
PolicyOptions sampling_policy(bool has_prior);

/// Sentences `first` to `first + count - 1` of the sequence. `prior` is null for models without a
/// latent code. Sentence i depends on (seed, i) and the options alone, not on `first` and `count`.
Decoded sample_sentences(NextTokenModel& decoder, PriorSampler* prior, int64_t first, int64_t count,
                         int64_t seed, const DecodeOptions& options);

}  // namespace lvtext
