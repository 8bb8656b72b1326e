// The one way to decode: batches of sentences, step by step, until every one has ended.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "framework/decoding/policy.h"
#include "framework/model/capabilities.h"
#include "framework/options/generation.h"

namespace lvtext {

/// Sentences that are decoded together: enough to fill a core, few enough for the memory of any.
inline constexpr int64_t kDecodeBatch = 512;

struct DecodeOptions {
  PolicyOptions policy;
  /// Sentences are cut after so many tokens, the prompt not counted.
  int64_t max_length = GenerationOptions{}.max_length;
  int64_t batch = kDecodeBatch;  ///< sentences decoded together; no effect on the text
};

struct Decoded {
  /// Token ids without prompt, BOS and EOS, in the input's order.
  std::vector<std::vector<int32_t>> sentences;
  int64_t cut_off = 0;  ///< sentences that reached max_length without EOS
};

/// Decodes one sentence per example id. `z` is [N, Z] for models with a latent vector, else
/// undefined; `example_ids` is [N] int64 on the CPU. `prompts` has the first tokens of each
/// sentence, without BOS, or is empty. A sentence depends on its latent vector, its prompt, its id
/// and `key` alone, but for rounding of matrix products not on the batch; noise is counted from the
/// first token after the prompt. Ended sentences leave the batch. Throws Interrupted between steps
/// if a stop was requested.
Decoded decode(NextToken& model, const at::Tensor& z, const at::Tensor& example_ids,
               const NoiseKey& key, const DecodeOptions& options,
               std::span<const TokenIds> prompts = {});

}  // namespace lvtext
