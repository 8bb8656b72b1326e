// What several token policies make of the same next-token scores.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "framework/core/decoding/policy.h"
#include "framework/core/model/capabilities.h"
#include "framework/core/tensor/philox.h"

namespace lvtext {

/// What is known of a policy's distribution at every row, [N] each, on the CPU.
struct PolicyRows {
  at::Tensor probability;  ///< probability of the target, float64
  at::Tensor squares;      ///< sum of the squares of all probabilities, float64
  /// Number of tokens that the policy can choose, int64. With a softmax it has all tokens that the
  /// policy keeps, even if their probability underflows, except scores of -infinity; with entmax,
  /// the tokens above its threshold.
  at::Tensor support;
  at::Tensor draws;  ///< the token that choose_tokens() chooses, int64
  /// Total probability of each set of TokenSets, float64 [N, K]; undefined without sets.
  at::Tensor masses;
};

/// K sets of tokens for each of N rows, each set a part of the next one.
struct TokenSets {
  std::vector<int32_t> ids;     ///< different tokens of each row, row after row
  std::vector<int64_t> begins;  ///< index of the first token of each row, [N]
  std::vector<int64_t> counts;  ///< [N, K], set k of a row is its first counts[k] tokens
  int64_t sets = 0;             ///< K

  std::span<const int64_t> counts_of(int64_t row) const {
    return std::span(counts).subspan(static_cast<size_t>(row * sets), static_cast<size_t>(sets));
  }
  std::span<const int32_t> ids_of(int64_t row) const {
    return std::span(ids).subspan(static_cast<size_t>(begins[row]),
                                  static_cast<size_t>(counts_of(row).back()));
  }
};

/// The distributions (candidates()) of each policy at every row of `scores` [N, V], from one pass
/// over the scores: `targets` [N] int64 in [0, V), `example_ids` and `positions` [N] int64 on the
/// CPU, of the draws. All policies draw with the same number of a row, so that their draws differ
/// no more than their distributions. `excluded` ids have probability 0; for probabilities over the
/// whole vocabulary it is empty. A row whose scores are not finite (a NaN, or no finite largest
/// score) has the probability NaN, the support 0 and the draw -1 under every policy. `sets`: whose
/// total probabilities are requested. On the CPU the rows are computed by PolicyRow, on other
/// devices by candidates().
std::vector<PolicyRows> policy_rows(std::span<const PolicyOptions> policies, const OutputMap& map,
                                    std::span<const int32_t> excluded, const at::Tensor& scores,
                                    const at::Tensor& targets, const at::Tensor& example_ids,
                                    const at::Tensor& positions, const NoiseKey& key,
                                    const TokenSets& sets = {});

/// The same from candidates(), policy by policy.
std::vector<PolicyRows> composed_policy_rows(std::span<const PolicyOptions> policies,
                                             const OutputMap& map,
                                             std::span<const int32_t> excluded,
                                             const at::Tensor& scores, const at::Tensor& targets,
                                             const at::Tensor& example_ids,
                                             const at::Tensor& positions, const NoiseKey& key,
                                             const TokenSets& sets = {});

}  // namespace lvtext
