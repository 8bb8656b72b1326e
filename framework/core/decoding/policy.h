// Token policies, which choose a token from next-token scores.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/model/capabilities.h"
#include "framework/core/nn/entmax_row.h"
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
  std::optional<double> alpha;

  template <class V>
  void visit(V& v) {
    v.field("type", type, "method that chooses the next token");
    v.field("temperature", temperature, "divisor of the scores; ignored by greedy",
            in_range(kLowestTemperature, kHighestTemperature));
    v.field("k", k, "top_k: number of tokens to sample from", at_least(1));
    v.field("p", p, "nucleus: total probability of the tokens to sample from",
            Bounds{0, 1, true, false});
    v.field("alpha", alpha,
            "function from scores to probabilities: 1 for softmax, above for alpha-entmax, which "
            "is sparse; unset: the function that the model was trained with",
            in_range(kMinAlpha, kMaxAlpha));
  }
};

/// Candidates for the next token, in ascending order of ids. Rows with fewer than K candidates are
/// padded with id 0 of probability 0.
struct Candidates {
  at::Tensor ids;            ///< [N, K] int64
  at::Tensor probabilities;  ///< [N, K] float32; the sum of a row is 1
  at::Tensor support;        ///< [N] int64, number of candidates that the map gives a probability
};

/// Returns the distribution that the policy samples from, given `scores` [N, V] of a model with the
/// output map `map` (which options.alpha replaces): the map of scores / temperature and, for top_k
/// and nucleus, the map of those scores again that the policy keeps; for softmax this equals
/// renormalizing. Ids in `excluded` have probability 0; decoding excludes never_chosen(). top_k
/// keeps exactly k tokens, of equal scores those of the lowest ids (the code of Martins et al. 2020
/// keeps all of them). A nucleus keeps tokens in descending order of scores up to and including the
/// first whose total probability is above p; as in that code, but not in the definition of Holtzman
/// et al. 2020, a total of exactly p is not enough; p = 1 keeps all. K is V for the policy
/// temperature, 1 for greedy. The vocabulary is not sorted, unless a nucleus needs all of it.
Candidates candidates(const PolicyOptions& options, const OutputMap& map,
                      std::span<const int32_t> excluded, const at::Tensor& scores);

/// The first candidate of each row, in the order of ids, whose cumulative probability exceeds
/// `uniform` [N] float64: [N] int64; -1 if the probabilities are not finite.
at::Tensor drawn_tokens(const Candidates& from, const at::Tensor& uniform);

/// Chooses one id per row of `scores` [N, V]: [N] int64 on the scores' device. The draw of a row
/// depends only on (key, its example id, position). `example_ids` is [N] int64 on the CPU. Greedy
/// uses no noise and computes no probabilities. The id is -1 for a row whose probabilities (greedy:
/// its largest score) are not finite. Tokens of probability 0 are never chosen. On the CPU by
/// PolicyRow, on other devices from candidates().
at::Tensor choose_tokens(const PolicyOptions& options, const OutputMap& map,
                         std::span<const int32_t> excluded, const at::Tensor& scores,
                         const at::Tensor& example_ids, const NoiseKey& key, int64_t position);

/// The key of the noise with which choose_tokens() draws at a position.
NoiseKey key_at(const NoiseKey& key, int64_t position);

/// The error for a model whose next-token scores are not finite.
DataError nonfinite_scores();

}  // namespace lvtext
