#include "evaluators/metrics/token_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "framework/core/base/error.h"

namespace lvtext {
namespace {

/// x ln x, 0 for 0.
double x_log_x(double x) {
  return x > 0 ? x * std::log(x) : 0;
}

/// First and second derivative of the mean of smoothed_nats() at a weight.
struct Slope {
  double first = 0, second = 0;
};

Slope slope_at(std::span<const double> probabilities, double vocabulary, double weight,
               std::span<const double> weights) {
  Slope sum;
  double n = 0;
  for (size_t i = 0; i < probabilities.size(); ++i) {
    const double p = probabilities[i], of_token = weights.empty() ? 1 : weights[i];
    const double a = 1 / vocabulary - p;
    const double ratio = a / (a * weight + p);
    sum.first -= of_token * ratio;
    sum.second += of_token * ratio * ratio;
    n += of_token;
  }
  return {sum.first / n, sum.second / n};
}

}  // namespace

double sparsemax_score(double probability, double squares) {
  return probability + (1 - squares) / 2;
}

double reference_js(double probability) {
  // The terms of H with ln(1 - p(x)) cancel.
  return (x_log_x(probability) + (1 - probability) * std::numbers::ln2) / 2 -
         x_log_x((1 + probability) / 2);
}

double smoothed_nats(double probability, double vocabulary, double weight) {
  return -std::log((1 - weight) * probability + weight / vocabulary);
}

double best_smoothing(std::span<const double> probabilities, double vocabulary,
                      std::span<const double> weights) {
  if (probabilities.empty()) return std::nan("");
  LVT_ASSERT(weights.empty() || weights.size() == probabilities.size(), "one weight each");
  double zeros = 0, all = 0;
  for (size_t i = 0; i < probabilities.size(); ++i) {
    const double of_token = weights.empty() ? 1 : weights[i];
    all += of_token;
    if (probabilities[i] == 0) zeros += of_token;
  }
  // A zero contributes -1 / weight to the derivative, and any other at most 1 / (1 - weight), so
  // that the root is not below the share of zeros.
  double low = zeros / all, high = 1;
  if (slope_at(probabilities, vocabulary, 1, weights).first <= 0) return 1;
  if (zeros == 0 && slope_at(probabilities, vocabulary, 0, weights).first >= 0) return 0;
  // Newton's method inside a bracket of the root; bisection where it leaves the bracket or is slow.
  constexpr int kMaxSteps = 200;
  constexpr double kTolerance = 1e-13;
  double weight = low > 0 ? low : 0.5, last_step = 1;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Slope slope = slope_at(probabilities, vocabulary, weight, weights);
    (slope.first < 0 ? low : high) = weight;
    double next = weight - slope.first / slope.second;
    if (!(next > low && next < high) || std::abs(next - weight) > last_step / 2) {
      next = (low + high) / 2;
    }
    last_step = std::abs(next - weight);
    weight = next;
    if (last_step <= kTolerance * weight) break;
  }
  return weight;
}

double smoothing_epsilon(double weight, double vocabulary) {
  if (weight == 1) return std::numeric_limits<double>::infinity();
  return weight / (vocabulary * (1 - weight));
}

double smoothing_weight(double epsilon, double vocabulary) {
  return epsilon * vocabulary / (1 + epsilon * vocabulary);
}

std::vector<Repetitions> repetitions(std::span<const int32_t> context,
                                     std::span<const int32_t> targets,
                                     std::span<const int32_t> drawn,
                                     std::span<const int64_t> windows, int64_t vocabulary) {
  LVT_ASSERT(drawn.size() == targets.size(), "one sampled token per target");
  constexpr int64_t kNever = std::numeric_limits<int64_t>::min() / 2;
  std::vector<int64_t> last(static_cast<size_t>(vocabulary), kNever);  // position of each token
  int64_t position = 0;
  for (const int32_t id : context) last[id] = position++;
  std::vector<Repetitions> counts(windows.size());
  for (size_t t = 0; t < targets.size(); ++t, ++position) {
    const int64_t of_drawn = position - last[drawn[t]], of_target = position - last[targets[t]];
    for (size_t i = 0; i < windows.size(); ++i) {
      const bool is_repeated = of_drawn <= windows[i];
      counts[i].drawn += is_repeated ? 1 : 0;
      counts[i].wrong += is_repeated && drawn[t] != targets[t] ? 1 : 0;
      counts[i].human += of_target <= windows[i] ? 1 : 0;
    }
    last[targets[t]] = position;
  }
  return counts;
}

}  // namespace lvtext
