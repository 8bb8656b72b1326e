#include "framework/core/statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace lvtext {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The continued fraction of the incomplete beta function by Lentz's method (DLMF 8.17.22);
// converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto guarded = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / guarded(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int m = 1; m <= 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / guarded(1 + even * d);
    c = guarded(1 + even / c);
    result *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / guarded(1 + odd * d);
    c = guarded(1 + odd / c);
    const double step = c * d;
    result *= step;
    if (std::abs(step - 1) < 1e-15) break;
  }
  return result;
}

// The regularized incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double log_front =
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  const double front = std::exp(log_front);
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

std::string direction_name(Direction direction) {
  switch (direction) {
    case Direction::kHigher: return "higher";
    case Direction::kLower: return "lower";
    case Direction::kNone: break;
  }
  return "none";
}

Direction direction_of(const std::string& name) {
  for (const Direction each : {Direction::kHigher, Direction::kLower}) {
    if (direction_name(each) == name) return each;
  }
  return Direction::kNone;
}

double mean(std::span<const double> values) {
  if (values.empty()) return kNan;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> sample_deviation(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const double center = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - center) * (value - center);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double quantile(std::vector<double> values, double p) {
  if (values.empty()) return kNan;
  std::sort(values.begin(), values.end());
  const double position = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(std::floor(position));
  const size_t above = std::min(below + 1, values.size() - 1);
  const double share = position - static_cast<double>(below);
  // No interpolation at an order statistic: inf - inf would be NaN.
  if (share == 0) return values[below];
  return values[below] + share * (values[above] - values[below]);
}

Interval percentile_interval(std::vector<double> resampled, double level) {
  std::erase_if(resampled, [](double value) { return std::isnan(value); });
  std::sort(resampled.begin(), resampled.end());
  const double tail = (1 - level) / 2;
  return {quantile(resampled, tail), quantile(std::move(resampled), 1 - tail)};
}

double student_t_cdf(double t, double freedom) {
  const double tail = 0.5 * incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
  return t > 0 ? 1 - tail : tail;
}

double student_t_quantile(double p, double freedom) {
  if (p == 0.5) return 0;
  if (p < 0.5) return -student_t_quantile(1 - p, freedom);
  double lo = 0;
  double hi = 1;
  while (student_t_cdf(hi, freedom) < p) hi *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (lo + hi) / 2;
    (student_t_cdf(middle, freedom) < p ? lo : hi) = middle;
  }
  return (lo + hi) / 2;
}

std::optional<Interval> t_interval(std::span<const double> values, double level) {
  const std::optional<double> deviation = sample_deviation(values);
  if (!deviation) return std::nullopt;
  const auto n = static_cast<double>(values.size());
  const double half = student_t_quantile(1 - (1 - level) / 2, n - 1) * *deviation / std::sqrt(n);
  const double center = mean(values);
  return Interval{center - half, center + half};
}

}  // namespace lvtext
