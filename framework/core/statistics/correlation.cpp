#include "framework/core/statistics/correlation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace lvtext {
namespace {

/// Differences from the mean.
std::vector<double> centered(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  const double center = mean(values);
  for (double& value : result) value -= center;
  return result;
}

bool is_constant(std::span<const double> values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

std::vector<double> without(std::span<const double> values, size_t index) {
  std::vector<double> result(values.begin(), values.end());
  result.erase(result.begin() + static_cast<std::ptrdiff_t>(index));
  return result;
}

}  // namespace

std::vector<double> average_ranks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    // Equal values at first..last share the mean of the ranks first + 1 .. last + 1.
    const double shared = static_cast<double>(first + last) / 2 + 1;
    for (size_t i = first; i <= last; ++i) ranks[order[i]] = shared;
    first = last + 1;
  }
  return ranks;
}

std::optional<double> pearson(std::span<const double> a, std::span<const double> b) {
  // Compared exactly: differences of constant values from their rounded mean may not be 0.
  if (a.size() < 2 || is_constant(a) || is_constant(b)) return std::nullopt;
  const double mean_a = mean(a);
  const double mean_b = mean(b);
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

std::optional<double> spearman(std::span<const double> a, std::span<const double> b) {
  return pearson(average_ranks(a), average_ranks(b));
}

std::optional<double> kendall(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || is_constant(a) || is_constant(b)) return std::nullopt;
  const auto sign = [](double x) { return static_cast<double>((x > 0) - (x < 0)); };
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = i + 1; j < a.size(); ++j) {
      const double in_a = sign(a[i] - a[j]), in_b = sign(b[i] - b[j]);
      ab += in_a * in_b;
      aa += std::abs(in_a);
      bb += std::abs(in_b);
    }
  }
  return ab / std::sqrt(aa * bb);
}

std::optional<double> permutation_p(Correlation correlation, std::span<const double> a,
                                    std::span<const double> b) {
  if (a.size() > kMaxPermuted) return std::nullopt;
  const std::optional<double> observed = correlation(a, b);
  if (!observed) return std::nullopt;
  const double least = std::abs(*observed) - 1e-12;
  std::vector<size_t> order(a.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<double> permuted(b.size());
  size_t all = 0;
  size_t extreme = 0;
  do {
    for (size_t i = 0; i < order.size(); ++i) permuted[i] = b[order[i]];
    ++all;
    extreme += std::abs(*correlation(a, permuted)) >= least ? 1 : 0;
  } while (std::next_permutation(order.begin(), order.end()));
  return static_cast<double>(extreme) / static_cast<double>(all);
}

std::optional<double> permutation_p(std::span<const double> a, std::span<const double> b) {
  if (a.size() > kMaxPermuted) return std::nullopt;
  const std::optional<double> observed = pearson(a, b);
  if (!observed) return std::nullopt;
  const std::vector<double> x = centered(a);
  const std::vector<double> y = centered(b);
  const double scale = std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0) *
                                 std::inner_product(y.begin(), y.end(), y.begin(), 0.0));
  const double least = (std::abs(*observed) - 1e-12) * scale;
  std::vector<size_t> order(x.size());
  std::iota(order.begin(), order.end(), size_t{0});
  size_t all = 0;
  size_t extreme = 0;
  do {
    double product = 0;
    for (size_t i = 0; i < x.size(); ++i) product += x[i] * y[order[i]];
    ++all;
    extreme += std::abs(product) >= least ? 1 : 0;
  } while (std::next_permutation(order.begin(), order.end()));
  return static_cast<double>(extreme) / static_cast<double>(all);
}

double student_p(double r, size_t n) {
  const auto freedom = static_cast<double>(n) - 2;
  if (std::abs(r) >= 1) return 0;
  return 2 * student_t_cdf(-std::abs(r) * std::sqrt(freedom / (1 - r * r)), freedom);
}

double normal_p_of_tau(double tau, size_t n) {
  const auto pairs = static_cast<double>(n);
  const double deviation = std::sqrt(2 * (2 * pairs + 5) / (9 * pairs * (pairs - 1)));
  return std::erfc(std::abs(tau) / deviation / std::sqrt(2.));
}

std::optional<Interval> leave_one_out(Correlation correlation, std::span<const double> a,
                                      std::span<const double> b) {
  std::optional<Interval> range;
  for (size_t i = 0; i < a.size(); ++i) {
    const std::optional<double> r = correlation(without(a, i), without(b, i));
    if (!r) return std::nullopt;
    range = range ? Interval{std::min(range->lo, *r), std::max(range->hi, *r)} : Interval{*r, *r};
  }
  return range;
}

}  // namespace lvtext
