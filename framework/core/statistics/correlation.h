// Ranks and correlations of paired values.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "framework/core/statistics/statistics.h"

namespace lvtext {

/// Ranks 1..n; equal values share the average of their ranks.
std::vector<double> average_ranks(std::span<const double> values);

/// Pearson's correlation, sum (a - mean a)(b - mean b) / sqrt(sum (a - mean a)^2 sum (b - mean
/// b)^2). None for fewer than two pairs or if one side is constant. Here and below, both
/// sides must have the same size.
std::optional<double> pearson(std::span<const double> a, std::span<const double> b);
/// Spearman's rank correlation: Pearson's correlation of the average ranks. None as for pearson().
std::optional<double> spearman(std::span<const double> a, std::span<const double> b);
/// Kendall's tau-b: concordant minus discordant pairs, divided by the geometric mean of the numbers
/// of pairs that differ in `a` and in `b`. None as for pearson().
std::optional<double> kendall(std::span<const double> a, std::span<const double> b);
/// pearson, spearman or kendall.
using Correlation = std::optional<double> (*)(std::span<const double>, std::span<const double>);

/// Maximum number of pairs for which all permutations are enumerated: 10! = 3,628,800.
inline constexpr size_t kMaxPermuted = 10;
/// Two-sided p of Pearson's correlation by the permutation test (Pitman 1937): the share of all n!
/// assignments of `b` to `a` whose |r| is at least the observed one less 1e-12. Assignments that
/// differ only in equal values count separately. For average ranks, this is the p of
/// Spearman's correlation. None if the correlation is undefined or n > kMaxPermuted.
std::optional<double> permutation_p(std::span<const double> a, std::span<const double> b);
/// The same of another correlation, computed for each assignment.
std::optional<double> permutation_p(Correlation correlation, std::span<const double> a,
                                    std::span<const double> b);
/// Approximate two-sided p for many pairs: t = r sqrt((n - 2) / (1 - r^2)) has Student's
/// distribution with n - 2 degrees of freedom, exactly so for Pearson's correlation of independent
/// normal values. `n` > 2.
double student_p(double r, size_t n);

/// Approximate two-sided p of Kendall's correlation for many pairs: tau / sqrt(2 (2n + 5) / (9n (n
/// - 1))) has the standard normal distribution. `n` > 1.
double normal_p_of_tau(double tau, size_t n);

/// The lowest and highest correlation with one pair left out. None if one of these is undefined.
std::optional<Interval> leave_one_out(Correlation correlation, std::span<const double> a,
                                      std::span<const double> b);

}  // namespace lvtext
