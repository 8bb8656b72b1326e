#include "framework/core/statistics/signed_rank.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "framework/core/statistics/correlation.h"

namespace lvtext {
namespace {

/// P(sum of the ranks with a random half of the signs <= statistic). Average ranks are multiples of
/// 1/2, so that twice a sum is a whole number.
double exact_tail(const std::vector<double>& ranks, double statistic) {
  const auto twice = [](double rank) { return static_cast<size_t>(std::lround(2 * rank)); };
  const size_t n = ranks.size();
  std::vector<double> ways(n * (n + 1) + 1, 0);  // by twice the sum; exact below 2^53
  ways[0] = 1;
  for (const double rank : ranks) {
    for (size_t sum = ways.size() - 1; sum >= twice(rank); --sum)
      ways[sum] += ways[sum - twice(rank)];
  }
  const auto last = ways.begin() + static_cast<std::ptrdiff_t>(twice(statistic)) + 1;
  return std::ldexp(std::accumulate(ways.begin(), last, 0.0), -static_cast<int>(n));
}

/// Twice the lower tail of the normal approximation.
double normal_p(std::vector<double> sizes, double statistic) {
  const auto n = static_cast<double>(sizes.size());
  double variance = n * (n + 1) * (2 * n + 1) / 24;
  std::sort(sizes.begin(), sizes.end());
  for (auto first = sizes.begin(); first != sizes.end();) {
    const auto last = std::upper_bound(first, sizes.end(), *first);
    const auto ties = static_cast<double>(last - first);
    variance -= (ties * ties * ties - ties) / 48;
    first = last;
  }
  return std::erfc((n * (n + 1) / 4 - statistic) / std::sqrt(2 * variance));
}

}  // namespace

std::optional<SignedRank> signed_rank_test(std::span<const double> differences) {
  std::vector<double> kept, sizes;
  for (const double each : differences) {
    if (each == 0) continue;
    kept.push_back(each);
    sizes.push_back(std::abs(each));
  }
  if (kept.empty()) return std::nullopt;
  const std::vector<double> ranks = average_ranks(sizes);
  double positive = 0, all = 0;
  for (size_t i = 0; i < kept.size(); ++i) {
    positive += kept[i] > 0 ? ranks[i] : 0;
    all += ranks[i];
  }
  SignedRank result{.n = kept.size(), .statistic = std::min(positive, all - positive)};
  result.p = result.n <= kMaxSigned ? std::min(1.0, 2 * exact_tail(ranks, result.statistic))
                                    : normal_p(std::move(sizes), result.statistic);
  return result;
}

}  // namespace lvtext
