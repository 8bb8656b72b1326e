// Token policies: from scores of the next token to one token.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/options/options.h"
#include "framework/core/tensor/philox.h"

namespace lvtext {

enum class Policy { kGreedy, kTemperature, kTopK, kNucleus };
const std::vector<EnumName<Policy>>& enum_names(Policy);

/// Temperatures at which a softmax in float32 is still one: scores stay finite and differ.
constexpr double kLowestTemperature = 1e-4, kHighestTemperature = 1e4;

struct PolicyOptions {
  Policy type = Policy::kGreedy;
  double temperature = 1;
  int64_t k = 40;
  double p = 0.9;

  template <class V>
  void visit(V& v) {
    v.field("type", type, "how the next token is chosen");
    v.field("temperature", temperature, "the scores are divided by it (not under greedy)",
            in_range(kLowestTemperature, kHighestTemperature));
    v.field("k", k, "top_k: tokens that may be chosen", at_least(1));
    v.field("p", p, "nucleus: probability that the tokens that may be chosen reach together",
            Bounds{0, 1, true, false});
  }
};

/// The tokens that may come next, in ascending order of their ids. Rows with fewer than K end with
/// id 0 of probability 0.
struct Candidates {
  at::Tensor ids;            ///< [N, K] int64
  at::Tensor probabilities;  ///< [N, K] float32; the sum of a row is 1
};

/// What `options` draws from, given `scores` [N, V] of a model with the output map `map`: the map
/// of scores / temperature, restricted to what the policy keeps and normalized again. What is never
/// chosen of the vocabulary (never_chosen) has probability 0. Of equal probabilities the lowest id
/// is kept first. K is V under the policy temperature, 1 under greedy. The vocabulary is never
/// sorted, unless a nucleus needs all of it.
Candidates candidates(const PolicyOptions& options, const OutputMap& map,
                      const Vocabulary& vocabulary, const at::Tensor& scores);

/// One id for each row of `scores` [N, V], [N] int64 on the scores' device. The draw of a row is a
/// function of (key, its example id, position) alone. `example_ids` is [N] int64 on the CPU. Greedy
/// draws nothing and computes no probabilities.
at::Tensor choose_tokens(const PolicyOptions& options, const OutputMap& map,
                         const Vocabulary& vocabulary, const at::Tensor& scores,
                         const at::Tensor& example_ids, const NoiseKey& key, int64_t position);

}  // namespace lvtext
