// The one way to decode: batches of sentences, step by step, until every one has ended.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "framework/core/decoding/beam_search.h"
#include "framework/core/decoding/policy.h"
#include "framework/core/model/capabilities.h"
#include "framework/core/options/generation.h"

namespace lvtext {

/// Rows that are decoded together: enough to fill a core, few enough for the memory of any.
inline constexpr int64_t kDecodeBatch = 512;

/// How text is made from scores: token by token, or as the result of a search.
using DecodingPolicy = std::variant<PolicyOptions, BeamOptions>;

struct DecodeOptions {
  DecodingPolicy policy;
  /// Sentences are cut after so many tokens, the prompt not counted; at least 1.
  int64_t max_length = GenerationOptions{}.max_length;
  /// Rows decoded together: sentences, under beam search W for each; no effect on the text.
  int64_t batch = kDecodeBatch;
};

struct Decoded {
  /// Token ids without prompt, BOS and EOS, in the input's order; under beam search those of the
  /// best hypothesis.
  std::vector<std::vector<int32_t>> sentences;
  int64_t cut_off = 0;  ///< sentences that reached max_length without EOS
  /// The n best hypotheses of each sentence, best first; empty unless a beam search made them.
  std::vector<std::vector<Hypothesis>> hypotheses;
};

/// Decodes one sentence per example id. `z` is [N, Z] for models with a latent vector, else
/// undefined; `example_ids` is [N] int64 on the CPU. `prompts` has the first tokens of each
/// sentence, without BOS, or is empty; a sentence begins after the start symbol of the model's
/// vocabulary (start_of) and ends with its EOS. A sentence depends on its latent vector, its
/// prompt, its id and `key` alone, but for rounding of matrix products not on the batch; noise is
/// counted from the first token after the prompt. Ended sentences leave the batch. Beam search
/// draws nothing. Throws Interrupted between steps if a stop was requested, ConfigError for a
/// vocabulary without EOS.
Decoded decode(NextTokenModel& model, const at::Tensor& z, const at::Tensor& example_ids,
               const NoiseKey& key, const DecodeOptions& options,
               std::span<const TokenIds> prompts = {});

}  // namespace lvtext
