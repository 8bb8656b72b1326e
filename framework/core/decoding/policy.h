// Token policies, which choose a token from next-token scores.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/model/capabilities.h"
#include "framework/core/options/options.h"
#include "framework/core/tensor/philox.h"

namespace lvtext {

enum class Policy { kGreedy, kTemperature, kTopK, kNucleus };
const std::vector<EnumName<Policy>>& enum_names(Policy);

/// Range of temperatures for which scaled scores stay finite and distinct in float32.
constexpr double kLowestTemperature = 1e-4, kHighestTemperature = 1e4;

struct PolicyOptions {
  Policy type = Policy::kGreedy;
  double temperature = 1;
  int64_t k = 40;
  double p = 0.9;

  template <class V>
  void visit(V& v) {
    v.field("type", type, "method that chooses the next token");
    v.field("temperature", temperature, "divisor of the scores; ignored by greedy",
            in_range(kLowestTemperature, kHighestTemperature));
    v.field("k", k, "top_k: number of tokens to sample from", at_least(1));
    v.field("p", p, "nucleus: total probability of the tokens to sample from",
            Bounds{0, 1, true, false});
  }
};

/// Candidates for the next token, in ascending order of ids. Rows with fewer than K candidates are
/// padded with id 0 of probability 0.
struct Candidates {
  at::Tensor ids;            ///< [N, K] int64
  at::Tensor probabilities;  ///< [N, K] float32; the sum of a row is 1
};

/// Returns the distribution that the policy samples from, given `scores` [N, V] of a model with the
/// output map `map`: the map of scores / temperature, restricted to the policy's tokens and
/// renormalized. Excluded ids (never_chosen) have probability 0. Ties are broken in favor of the
/// lowest id. K is V for the policy temperature, 1 for greedy. The vocabulary is not sorted, unless
/// a nucleus needs all of it.
Candidates candidates(const PolicyOptions& options, const OutputMap& map,
                      const Vocabulary& vocabulary, const at::Tensor& scores);

/// Chooses one id per row of `scores` [N, V]: [N] int64 on the scores' device. The draw of a row
/// depends only on (key, its example id, position). `example_ids` is [N] int64 on the CPU. Greedy
/// uses no noise and computes no probabilities. The id is -1 for a row whose probabilities (greedy:
/// its largest score) are not finite.
at::Tensor choose_tokens(const PolicyOptions& options, const OutputMap& map,
                         const Vocabulary& vocabulary, const at::Tensor& scores,
                         const at::Tensor& example_ids, const NoiseKey& key, int64_t position);

/// The error for a model whose next-token scores are not finite.
DataError nonfinite_scores();

}  // namespace lvtext
