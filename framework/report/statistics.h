// Small statistics that tables, checks and evaluators share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lvtext {

/// A two-sided interval.
struct Interval {
  double lo = 0;
  double hi = 0;
};

/// Arithmetic mean; NaN without values.
double mean(std::span<const double> values);
/// Standard deviation with n - 1 in the denominator; none for fewer than two values.
std::optional<double> sample_deviation(std::span<const double> values);

/// The quantile `p` in [0, 1] of `values` with linear interpolation between order statistics
/// (type 7 of Hyndman and Fan 1996, NumPy's default). NaN without values.
double quantile(std::vector<double> values, double p);
/// The percentile interval that holds the central `level` of resampled values (Efron 1979).
Interval percentile_interval(std::vector<double> resampled, double level = 0.95);

/// P(T <= t) of Student's t with `freedom` degrees of freedom.
double student_t_cdf(double t, double freedom);
/// The quantile `p` in (0, 1) of Student's t.
double student_t_quantile(double p, double freedom);
/// Student's interval of the mean of at least two values; none for fewer.
std::optional<Interval> t_interval(std::span<const double> values, double level = 0.95);

/// Ranks 1..n; equal values share the average of their ranks.
std::vector<double> average_ranks(std::span<const double> values);
/// Spearman's rank correlation: Pearson's correlation of the average ranks. None for fewer than two
/// pairs or if one side is constant. `a` and `b` have equal sizes.
std::optional<double> spearman(std::span<const double> a, std::span<const double> b);

}  // namespace lvtext
