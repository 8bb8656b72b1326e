// Metrics of next-token distributions against numbers computed by independent scripts.
#include "evaluators/metrics/token_metrics.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "tests/catch.h"

using namespace lvtext;

namespace {

/// exp of the mean of smoothed_nats().
double perplexity(const std::vector<double>& p, double vocabulary, double weight) {
  double sum = 0;
  for (const double each : p) sum += smoothed_nats(each, vocabulary, weight);
  return std::exp(sum / static_cast<double>(p.size()));
}

/// Numbers in [0, 1) that are the same in every run.
std::vector<double> scattered(size_t count, double power) {
  std::vector<double> all;
  for (size_t i = 1; i <= count; ++i) {
    const double at = std::fmod(static_cast<double>(i) * std::numbers::phi, 1);
    all.push_back(std::pow(at, power));
  }
  return all;
}

}  // namespace

TEST_CASE("token metrics: sparsemax score and Jensen-Shannon divergence of a distribution",
          "[metrics]") {
  const std::vector<double> p = {.5, .3, .2, 0};
  const double squares = std::inner_product(p.begin(), p.end(), p.begin(), 0.0);
  const std::vector<double> sp = {.81, .61, .51, .31};
  const std::vector<double> js = {.21576155, .34201449, .42281046, .69314718};
  for (size_t x = 0; x < p.size(); ++x) {
    CHECK(sparsemax_score(p[x], squares) == Approx(sp[x]).epsilon(1e-12));
    CHECK(reference_js(p[x]) == Approx(js[x]).margin(5e-9));
  }
  CHECK(sparsemax_score(1, 1) == 1);
  CHECK(sparsemax_score(0, 1) == 0);
  CHECK(reference_js(1) == 0);
  CHECK(reference_js(0) == Approx(std::numbers::ln2).epsilon(1e-15));
  const double uniform = 1.0 / 50257;
  CHECK(sparsemax_score(uniform, uniform) == Approx(.50000995).margin(5e-9));
  CHECK(reference_js(uniform) == Approx(.69302954).margin(5e-9));
}

TEST_CASE("token metrics: the divergence keeps its digits where the probability is almost 1",
          "[metrics]") {
  // With 1 - p = d, the divergence is d (ln 2) / 2 + O(d^2).
  for (const double d : {1e-4, 1e-8, 1e-12}) {
    CHECK(reference_js(1 - d) == Approx(d * std::numbers::ln2 / 2).epsilon(1e-3).margin(1e-16));
  }
}

TEST_CASE("token metrics: the best epsilon", "[metrics]") {
  struct Case {
    std::vector<double> p;
    double vocabulary, weight, epsilon, perplexity;
  };
  const std::vector<Case> cases = {
      {{.5, .25, 0, .1}, 10, .4714512117, .08919729308, 7.85090984},
      {{.5, .25, .1, .1}, 10, 0, 0, 5.31829590},
      {{.9, .8, .05, .01}, 10, .3932294416, .06480694164, 5.66445449},
      {{1, 0, 1, 1}, 10, .2777777778, .03846153846, 3.03934274},
      {{.4, .2, 0, .05, .3, .001, 0, .6}, 50257, .2508544070, 6.662833267e-6, 153.80845631}};
  for (const Case& each : cases) {
    const double weight = best_smoothing(each.p, each.vocabulary);
    CHECK(weight == Approx(each.weight).epsilon(1e-9));
    CHECK(smoothing_epsilon(weight, each.vocabulary) == Approx(each.epsilon).epsilon(1e-9));
    CHECK(perplexity(each.p, each.vocabulary, weight) == Approx(each.perplexity).epsilon(1e-8));
  }
  CHECK(best_smoothing(cases[1].p, 10) == 0);  // exactly
  CHECK(best_smoothing(std::vector<double>{0, 0, 0}, 10) == 1);
  CHECK(std::isinf(smoothing_epsilon(1, 10)));
  CHECK(perplexity({0, 0, 0}, 10, 1) == Approx(10));
  CHECK(std::isnan(best_smoothing({}, 10)));
  const std::vector<double>& sparse = cases[4].p;
  for (const auto& [epsilon, expected] :
       {std::pair{1e-6, 194.56870966}, {1e-5, 156.35448297}, {1e-4, 348.73099314}}) {
    const double weight = smoothing_weight(epsilon, 50257);
    CHECK(smoothing_epsilon(weight, 50257) == Approx(epsilon).epsilon(1e-12));
    CHECK(perplexity(sparse, 50257, weight) == Approx(expected).epsilon(1e-9));
  }
}

TEST_CASE("token metrics: the best epsilon is the root of the derivative, whatever its size",
          "[metrics]") {
  const double vocabulary = 8192;
  for (const double power : {1.0, 3.0, 8.0}) {
    for (const size_t zeros : {0, 1, 30, 3000}) {
      std::vector<double> p = scattered(4000, power);
      std::fill(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(zeros), 0.0);
      const double weight = best_smoothing(p, vocabulary);
      INFO("power " << power << ", " << zeros << " zeros: " << weight);
      // The derivative changes its sign within a relative distance of 1e-11.
      const auto derivative = [&](double at) {
        double sum = 0;
        for (const double each : p)
          sum -= (1 / vocabulary - each) / ((1 - at) * each + at / vocabulary);
        return sum;
      };
      if (zeros == 0 && power == 1) {  // the plain perplexity is the best one
        CHECK(weight == 0);
        CHECK(derivative(0) >= 0);
        continue;
      }
      REQUIRE(weight > 0);
      CHECK(derivative(weight * (1 - 1e-11)) <= 0);
      CHECK(derivative(weight * (1 + 1e-11)) >= 0);
    }
  }
  // One zero among many confident predictions: close to its lower limit 1 / n.
  std::vector<double> sure(300000, 0.999);
  sure.front() = 0;
  CHECK(best_smoothing(sure, vocabulary) == Approx(1 / 300000.0).epsilon(1e-2));
}

TEST_CASE("token metrics: greedy decoding has closed forms", "[metrics]") {
  // Accuracy A: JS = (1 - A) ln 2, weight (1 - A) V / (V - 1), ln ppl = H(A) + (1 - A) ln(V - 1).
  const double vocabulary = 50257, n = 1000;
  for (const double right : {491.0, 1.0, 999.0}) {
    std::vector<double> p(static_cast<size_t>(n), 0);
    std::fill(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(right), 1.0);
    const double accuracy = right / n;
    double sp = 0, js = 0;
    for (const double each : p) {
      sp += sparsemax_score(each, 1) / n;
      js += reference_js(each) / n;
    }
    CHECK(sp == Approx(accuracy).epsilon(1e-12));
    CHECK(std::abs(js - (1 - sp) * std::numbers::ln2) < 1e-12);
    const double weight = best_smoothing(p, vocabulary);
    CHECK(weight == Approx((1 - accuracy) * vocabulary / (vocabulary - 1)).epsilon(1e-11));
    const double entropy = -accuracy * std::log(accuracy) - (1 - accuracy) * std::log1p(-accuracy);
    CHECK(perplexity(p, vocabulary, weight) ==
          Approx(std::exp(entropy + (1 - accuracy) * std::log(vocabulary - 1))).epsilon(1e-9));
  }
}

TEST_CASE("token metrics: a mass that is spread evenly", "[metrics]") {
  // Martins et al. 2020, figure 2: p(x), perplexity, with epsilon .01, sparsemax score, JS.
  const double vocabulary = 50000;
  struct Point {
    double p, perplexity, smoothed, sp, js;
  };
  for (const Point& each : std::vector<Point>{{1, 1, 496.039604, 1, 0},
                                              {.9, 1.11111111, 550.549451, .99499990, .03597376},
                                              {.5, 2, 982.352941, .87499750, .21576155},
                                              {.1, 10, 4554.545455, .59499190, .52559733},
                                              {.01, 100, 25050, .50994020, .66509641},
                                              {0, INFINITY, 50100, .49999000, .69314718}}) {
    const double squares = each.p * each.p + std::pow(1 - each.p, 2) / (vocabulary - 1);
    CHECK(sparsemax_score(each.p, squares) == Approx(each.sp).margin(5e-9));
    CHECK(reference_js(each.p) == Approx(each.js).margin(5e-9));
    CHECK(perplexity({each.p}, vocabulary, smoothing_weight(.01, vocabulary)) ==
          Approx(each.smoothed).epsilon(1e-8));
    const double plain = perplexity({each.p}, vocabulary, 0);
    if (each.p > 0) {
      CHECK(plain == Approx(each.perplexity).epsilon(1e-8));
    } else {
      CHECK(std::isinf(plain));
    }
  }
}

TEST_CASE("token metrics: float32 records lose less than 1e-7 of any metric", "[metrics]") {
  const double vocabulary = 50257;
  std::vector<double> p = scattered(3000, 1), tiny = scattered(3000, 30);
  for (const double each : scattered(3000, 20)) p.push_back(1 - each);  // 1 - p down to 1e-68
  p.insert(p.end(), tiny.begin(), tiny.end());                          // p down to 1e-102
  for (const double each : p) {
    if (each < 1e-37) continue;
    const double stored = static_cast<double>(static_cast<float>(each));
    CHECK(std::abs(reference_js(stored) - reference_js(each)) < 1e-7);
    CHECK(std::abs(sparsemax_score(stored, stored * stored) - sparsemax_score(each, each * each)) <
          1e-7);
    for (const double weight : {0.0, 1e-6, 0.1}) {
      CHECK(std::abs(smoothed_nats(stored, vocabulary, weight) -
                     smoothed_nats(each, vocabulary, weight)) < 1e-7);
    }
  }
}

TEST_CASE("token metrics: repetitions in windows of preceding tokens", "[metrics]") {
  const TokenIds targets = {5, 7, 5, 9, 7, 7, 2, 5}, drawn = {5, 5, 9, 5, 7, 2, 7, 9};
  const std::vector<int64_t> windows = {1, 2, 4, 16};
  const auto counts = repetitions({}, targets, drawn, windows, 10);
  const std::vector<std::array<int64_t, 3>> expected = {{3, 3, 1}, {3, 3, 2}, {5, 4, 3}, {5, 4, 4}};
  for (size_t i = 0; i < windows.size(); ++i) {
    INFO("window " << windows[i]);
    CHECK(std::array{counts[i].drawn, counts[i].wrong, counts[i].human} == expected[i]);
  }
  // The token before the targets belongs to the windows that reach it: 5 is drawn first.
  const TokenIds before = {5};
  const auto full = repetitions(before, targets, drawn, windows, 10);
  CHECK(full[0].drawn == 4);
  CHECK(full[0].wrong == 3);
  CHECK(full[0].human == 2);
  CHECK(full[3].drawn == 6);
}

TEST_CASE("token metrics: weights of the best smoothing are as repetitions", "[metrics]") {
  const std::vector<double> p = {0, .3, .7, 1e-4}, weights = {1, 3, 2, 2};
  std::vector<double> repeated;
  for (size_t i = 0; i < p.size(); ++i) {
    repeated.insert(repeated.end(), static_cast<size_t>(weights[i]), p[i]);
  }
  const double expected = best_smoothing(repeated, 50);
  CHECK(best_smoothing(p, 50, weights) == Approx(expected).epsilon(1e-11));
  CHECK(best_smoothing(p, 50, std::vector<double>{.5, 1.5, 1, 1}) ==
        Approx(expected).epsilon(1e-11));
  CHECK(best_smoothing(p, 50) != Approx(expected).epsilon(1e-3));
}
