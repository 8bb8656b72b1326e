// Batched decoding of sentences by a policy or beam search.
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

/// Default number of rows that are decoded together: uses a core fully, and fits into memory.
inline constexpr int64_t kDecodeBatch = 512;

/// Decoding method: token by token, or beam search.
using DecodingPolicy = std::variant<PolicyOptions, BeamOptions>;

struct DecodeOptions {
  DecodingPolicy policy;
  /// Maximum number of tokens per sentence, excluding the prompt; at least 1.
  int64_t max_length = GenerationOptions{}.max_length;
  /// Maximum number of rows that are decoded together (with beam search, a sentence has W rows);
  /// does not affect the text.
  int64_t batch = kDecodeBatch;
  /// Throws DataError for a model whose scores are not finite; a training, which has its own policy
  /// for such values, decodes an arbitrary token instead.
  bool refuse_nonfinite = true;
  /// Ids in the vocabulary that end a sentence besides EOS, and are not part of it.
  std::vector<int32_t> stop_ids = {};
};

struct Decoded {
  /// Token ids without prompt, BOS and EOS, in the input's order; with beam search those of the
  /// best hypothesis.
  std::vector<std::vector<int32_t>> sentences;
  /// Sentences that reached max_length without an id that ends them; 0 if no id does.
  int64_t cut_off = 0;
  /// The n best hypotheses of each sentence, best first; empty without beam search.
  std::vector<std::vector<Hypothesis>> hypotheses;
};

/// Decodes one sentence per example id. `z` is [N, Z] for models with a latent vector, otherwise
/// undefined; `example_ids` is [N] int64 on the CPU. `prompts` has the first tokens of each
/// sentence, without BOS, or is empty. A sentence starts after the model's start_symbol(); without
/// one, the prompt is read as it is and must not be empty. It ends with EOS, if the model has
/// ends(), with one of `options.stop_ids`, or after max_length tokens. A sentence depends only on
/// its latent vector, prompt, example id and `key`, and not on the batch, except for rounding of
/// matrix products; noise positions are counted from the first token after the prompt. Ended
/// sentences leave the batch. Beam search is deterministic. Throws Interrupted between steps if a
/// stop was requested, DataError if the scores are not finite, and, before any work, ConfigError
/// for a vocabulary without a needed EOS, an empty prompt without start symbol, and a prompt that
/// with max_length exceeds the model's max_positions().
Decoded decode(NextTokenModel& model, const at::Tensor& z, const at::Tensor& example_ids,
               const NoiseKey& key, const DecodeOptions& options,
               std::span<const TokenIds> prompts = {});

}  // namespace lvtext
