// Elementary statistics for tables, checks and evaluators.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lvtext {

/// Direction in which a metric improves.
enum class Direction { kNone, kHigher, kLower };
/// "higher", "lower" or "none".
std::string direction_name(Direction direction);
/// The direction with this name; kNone for other strings.
Direction direction_of(const std::string& name);

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
/// The percentile interval: the central fraction `level` of resampled values (Efron 1979). Ignores
/// NaN, the value of resamples in which a score is undefined.
Interval percentile_interval(std::vector<double> resampled, double level = 0.95);

/// P(T <= t) of Student's t with `freedom` degrees of freedom.
double student_t_cdf(double t, double freedom);
/// The quantile `p` in (0, 1) of Student's t.
double student_t_quantile(double p, double freedom);
/// Student's interval of the mean of at least two values; none for fewer.
std::optional<Interval> t_interval(std::span<const double> values, double level = 0.95);

}  // namespace lvtext
