// Wilcoxon's signed-rank test.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace lvtext {

/// Result of signed_rank_test().
struct SignedRank {
  size_t n = 0;          ///< differences that are not 0
  double statistic = 0;  ///< the smaller one of the sums of the ranks of either sign
  double p = 1;          ///< two-sided
};

/// Maximum number of differences other than 0 for which all assignments of signs are counted.
inline constexpr size_t kMaxSigned = 25;

/// Wilcoxon's signed-rank test (Wilcoxon 1945) of whether paired differences are symmetric around
/// 0. Differences of 0 are dropped, and equal absolute differences share their average rank. With W
/// the smaller sum of ranks, p = min(1, 2 P(sum <= W)) over all 2^n assignments of signs to the
/// ranks for n <= kMaxSigned, otherwise by the normal distribution without correction for
/// continuity, of mean n (n + 1) / 4 and variance n (n + 1) (2n + 1) / 24 - sum (t^3 - t) / 48 over
/// groups of t ties. Equal to `scipy.stats.wilcoxon` with a PermutationMethod over all signs,
/// respectively `method="approx"`. None if all differences are 0.
std::optional<SignedRank> signed_rank_test(std::span<const double> differences);

}  // namespace lvtext
