#include "framework/core/nn/entmax.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "framework/core/nn/vector_math.h"
#include "tests/catch.h"
#include "tests/framework/core/nn/gradients.h"

using namespace lvtext;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

at::Tensor row(const std::vector<double>& values) {
  return at::tensor(values, at::kDouble).unsqueeze(0);
}

at::Tensor target(int64_t index) {
  return at::tensor(std::vector<int64_t>{index}, at::kLong);
}

/// The scores of the specification's cases.
const std::vector<double> kScores{1.2, 0.3, -0.5, 2.0, 0.0};

/// Entmax by bisection in extended precision, independent of the implementation.
std::vector<double> oracle(const std::vector<double>& scores, double alpha) {
  const long double slope = alpha - 1.0L, q = 1 / slope;
  const long double maximum = *std::max_element(scores.begin(), scores.end());
  std::vector<double> near;  // the others are below every tau
  for (const double z : scores) {
    if (slope * (z - maximum) > -1) near.push_back(z);
  }
  long double low = -1, high = 0;  // of tau for x = slope (z - maximum)
  const auto value = [&](double z, long double tau) {
    const long double w = slope * (z - maximum) - tau;
    return w > 0 ? std::pow(w, q) : 0.0L;
  };
  for (int step = 0; step < 200; ++step) {
    const long double middle = (low + high) / 2;
    long double sum = 0;
    for (const double z : near) sum += value(z, middle);
    (sum >= 1 ? low : high) = middle;
  }
  std::vector<double> p;
  long double sum = 0;
  for (const double z : near) sum += value(z, low);
  for (const double z : scores) p.push_back(static_cast<double>(value(z, low) / sum));
  return p;
}

std::vector<double> values_of(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.to(at::kDouble).contiguous();
  const auto* first = flat.const_data_ptr<double>();
  return {first, first + flat.numel()};
}

double largest_difference(const at::Tensor& p, const std::vector<double>& expected) {
  const std::vector<double> values = values_of(p);
  REQUIRE(values.size() == expected.size());
  double largest = 0;
  for (size_t k = 0; k < values.size(); ++k) {
    const double difference = std::abs(values[k] - expected[k]);
    largest = difference <= largest ? largest : difference;  // a NaN becomes the largest
  }
  return largest;
}

}  // namespace

TEST_CASE("entmax: probabilities, thresholds and losses equal the specification's", "[nn]") {
  struct Case {
    double alpha, c;
    std::vector<double> p;
    int64_t support;
    double power_sum, loss3, loss1, loss2;
  };
  // Specification 2, section 7.1.
  const std::vector<Case> cases{
      {1.1,
       2.51333954,
       {.24464056, .08194310, .02771382, .59038263, .05531990},
       5,
       .89717204,
       .41985958,
       2.11985958,
       2.91985958},
      {1.2,
       2.42344527,
       {.24582661, .06302505, .01235569, .64245584, .03633681},
       5,
       .83383760,
       .28497660,
       1.98497660,
       2.78497660},
      {1.3,
       2.34633190,
       {.24541498, .04191160, .00164250, .69372757, .01730335},
       5,
       .80421203,
       .19572577,
       1.89572577,
       2.69572577},
      {1.5,
       2.24410983,
       {.22843150, .00078093, 0, .77078757, 0},
       3,
       .78590869,
       .10138230,
       1.80138230,
       2.60138230},
      {2, 2.1, {.1, 0, 0, .9, 0}, 2, .82, .01, 1.71, 2.51},
      {4, 2.0, {0, 0, 0, 1, 0}, 1, 1, 0, 1.7, 2.5},
  };
  for (const Case& c : cases) {
    INFO("alpha " << c.alpha);
    EntmaxRow<double> solver(c.alpha, 5);
    const EntmaxSolution solution = solver.solve(kScores.data(), 5);
    CHECK(solution.threshold == Approx(c.c).margin(1e-8));
    CHECK(solution.support == c.support);
    CHECK(solution.power_sum == Approx(c.power_sum).margin(1e-8));
    CHECK(largest_difference(entmax(row(kScores), c.alpha), c.p) < 1e-8);
    CHECK(entmax_loss(row(kScores), target(3), c.alpha).item<double>() ==
          Approx(c.loss3).margin(1e-8));
    CHECK(entmax_loss(row(kScores), target(1), c.alpha).item<double>() ==
          Approx(c.loss1).margin(1e-8));
    CHECK(entmax_loss(row(kScores), target(2), c.alpha).item<double>() ==
          Approx(c.loss2).margin(1e-8));
  }
  CHECK(largest_difference(entmax(row({-1, 0, .5}), 1.33), {.04598203, .32763225, .62638572}) <
        1e-8);
  CHECK(largest_difference(entmax(row({1, 2, 3.5}), 1.33), {.00255806, .10115538, .89628656}) <
        1e-8);
  CHECK(largest_difference(entmax(row({-2, 0, .5}), 1.5), {0, .32600736, .67399264}) < 1e-8);
  CHECK(largest_difference(entmax(row({-2, 0, .5}), 2), {0, .25, .75}) < 1e-12);
}

TEST_CASE("entmax: just above alpha 1 the loss is continuous, at 1 it is softmax's", "[nn]") {
  EntmaxRow<double> solver(1.000001, 5);
  const EntmaxSolution solution = solver.solve(kScores.data(), 5);
  CHECK(solution.threshold == Approx(2.61487791).margin(1e-8));
  CHECK(solver.loss(solution, 2.0) == Approx(.61487667).margin(1e-8));
  const at::Tensor scores = normal_step({.seed = 3}, {7, 50}, at::kFloat);
  CHECK(entmax(scores, 1).equal(at::softmax(scores, 1)));
  CHECK(entmax(scores, 1 + 1e-7).equal(at::softmax(scores, 1)));
  CHECK(entmax_loss(row(kScores), target(1), 1).item<double>() == Approx(2.31487898).margin(1e-8));
}

TEST_CASE("entmax: derivatives for scores and alpha equal the specification's", "[nn]") {
  const at::Tensor gradient = row({.5, -1, 2, .25, 1}), z = row(kScores);
  const auto vjp = [&](double alpha) { return entmax_backward(entmax(z, alpha), gradient, alpha); };
  CHECK(largest_difference(vjp(1.2), {.06837613, -.14130926, .05087589, -.02801415, .05007139}) <
        1e-8);
  CHECK(largest_difference(vjp(1.5), {.09028293, -.03663885, 0, -.05364408, 0}) < 1e-8);
  CHECK(largest_difference(vjp(2), {.125, 0, 0, -.125, 0}) < 1e-8);
  const auto for_alpha = [](const std::vector<double>& scores, double alpha) {
    const auto size = static_cast<int64_t>(scores.size());
    const at::Tensor p = entmax(row(scores), alpha).expand({size, size});
    return entmax_alpha_gradient(p, at::eye(size, at::kDouble), alpha);
  };
  CHECK(largest_difference(for_alpha(kScores, 1.2),
                           {.00695312, -.20005830, -.13845851, .52452946, -.19296576}) < 1e-8);
  CHECK(largest_difference(for_alpha(kScores, 1.5), {-.16866817, -.08842934, 0, .25709751, 0}) <
        1e-8);
  CHECK(largest_difference(for_alpha(kScores, 2), {-.33228298, 0, 0, .33228298, 0}) < 1e-8);
  CHECK(largest_difference(for_alpha({-1, 0, .5}, 1.33), {-.25616772, -.01140231, .26757003}) <
        1e-8);
}

TEST_CASE("entmax: the loss changes with alpha as the specification says", "[nn]") {
  // The loss is the maximum over p of p . z + H(p), minus z_x, with Tsallis entropy H(p) =
  // (1 - sum p^alpha) / (alpha (alpha - 1)). So its derivative for alpha is that of H at a fixed p:
  // the derivative of p, entmax_alpha_gradient(), does not enter, and neither does the target.
  for (const auto& [alpha, expected] :
       {std::pair{1.2, -1.09884806}, {1.5, -.31116656}, {2.0, -.08081607}}) {
    INFO("alpha " << alpha);
    const at::Tensor p = entmax(row(kScores), alpha), powers = p.pow(alpha);
    const double sum = powers.sum().item<double>();
    const double logarithms = at::where(p > 0, powers * p.log(), 0).sum().item<double>();
    const double scale = alpha * (alpha - 1);
    CHECK((-logarithms * scale - (1 - sum) * (2 * alpha - 1)) / (scale * scale) ==
          Approx(expected).margin(1e-8));
    // Half of a unit of the last printed digit is 5e-9; the central difference adds about 3e-10.
    constexpr double kStep = 1e-5;
    for (int64_t x = 0; x < 5; ++x) {
      const auto loss = [x](double a) {
        return entmax_loss(row(kScores), target(x), a).item<double>();
      };
      CHECK((loss(alpha + kStep) - loss(alpha - kStep)) / (2 * kStep) ==
            Approx(expected).margin(1e-8));
    }
  }
}

TEST_CASE("entmax: gradients equal finite differences", "[nn]") {
  const double alpha = GENERATE(1.05, 1.2, 1.33, 1.5, 1.75, 2.0, 3.0);
  const at::Tensor scores = normal_step({.seed = 6}, {4, 9}, at::kDouble);
  const at::Tensor targets = at::tensor(std::vector<int64_t>{0, 8, 3, 3}, at::kLong);
  check_gradients({scores}, [&](const std::vector<at::Tensor>& inputs) {
    return weighted_sum({entmax(inputs[0], alpha)});
  });
  check_gradients({scores}, [&](const std::vector<at::Tensor>& inputs) {
    return weighted_sum({entmax_loss(inputs[0], targets, alpha)});
  });
  // For alpha by a central difference of the probabilities.
  const at::Tensor weights = normal_step({.seed = 7}, {4, 9}, at::kDouble);
  const at::Tensor numeric =
      ((entmax(scores, alpha + 1e-6) - entmax(scores, alpha - 1e-6)) * weights).sum(1) / 2e-6;
  CHECK(entmax_alpha_gradient(entmax(scores, alpha), weights, alpha).allclose(numeric, 1e-5, 1e-6));
}

TEST_CASE("entmax: the loss is zero exactly at the margin", "[nn]") {
  for (const auto& [alpha, loss] :
       {std::pair{1.2, 1.0666665e-10}, {1.5, 1.5527944e-4}, {2.0, 3.3333333e-3}}) {
    INFO("alpha " << alpha);
    const double margin = 1 / (alpha - 1);
    CHECK(entmax(row({0, margin, 0}), alpha).equal(row({0, 1, 0})));
    CHECK(entmax_loss(row({0, margin, 0}), target(1), alpha).item<double>() == 0);
    CHECK(entmax_loss(row({0, margin - 0.1, 0}), target(1), alpha).item<double>() ==
          Approx(loss).epsilon(1e-7).margin(2e-15));
  }
}

TEST_CASE("entmax: growing groups near the threshold are solved exactly", "[nn]") {
  std::vector<double> scores{.5, .5};
  for (int j = 1; j <= 14; ++j) {
    scores.insert(scores.end(), size_t{1} << j, -.499 * std::pow(2, j - 14));
  }
  for (const bool single : {false, true}) {
    const at::Tensor z = row(scores).to(single ? at::kFloat : at::kDouble);
    const at::Tensor p = entmax(z, 2);
    CHECK((p > 0).sum().item<int64_t>() == 2);
    CHECK(p[0][0].item<double>() == Approx(.5).margin(1e-7));
  }
}

TEST_CASE("entmax: agrees with bisection in extended precision at the edges", "[nn]") {
  // T24 of the reliability contract: ties at the threshold, equal scores, masked scores, one word.
  const double alpha = GENERATE(1.0001, 1.1, 1.2, 1.25, 1.3, 1.5, 1.9, 2.0, 2.5, 4.0);
  const std::vector<std::vector<double>> rows{{3},
                                              {0, 0, 0, 0},
                                              {1, 1 - 1 / (alpha - 1), 1},
                                              {-80, -80.5, -81, -90},
                                              {1000, 999, -1000},
                                              {1e4, -1e4, 0},
                                              {5e7, 0},
                                              {1e30, 0, 1e30},
                                              {0.1, 0.2, 0.3, 0.4, 0.5},
                                              {5, 5, 4.9999, -3}};
  for (const std::vector<double>& scores : rows) {
    INFO("alpha " << alpha << ", scores " << row(scores));
    const std::vector<double> expected = oracle(scores, alpha);
    const at::Tensor p = entmax(row(scores), alpha);
    CHECK(largest_difference(p, expected) < 1e-9);
    CHECK(p.sum().item<double>() == Approx(1).margin(1e-12));
    // Scores are rounded to float32 first, so the oracle gets the rounded ones.
    const at::Tensor single = row(scores).to(at::kFloat);
    const at::Tensor q = entmax(single, alpha);
    CHECK(largest_difference(q, oracle(values_of(single), alpha)) < 2e-7);
    CHECK(q.sum().item<double>() == Approx(1).margin(1e-6));
    for (size_t x = 0; x < scores.size(); ++x) {
      const at::Tensor leaf = single.detach().requires_grad_();
      const at::Tensor loss = entmax_loss(leaf, target(static_cast<int64_t>(x)), alpha);
      CHECK(loss.item<double>() ==
            Approx(entmax_loss(single.to(at::kDouble), target(static_cast<int64_t>(x)), alpha)
                       .item<double>())
                .margin(1e-6)
                .epsilon(1e-6));
      const at::Tensor gradient = torch::autograd::grad({loss.sum()}, {leaf})[0];
      CHECK(std::abs(gradient.sum().item<double>()) < 1e-6);
    }
  }
}

TEST_CASE("entmax: float32 keeps the bounds of the specification on large vocabularies", "[nn]") {
  // Specification 2, section 7.2: p 2e-7, loss 1e-6; equal supports.
  const double alpha = GENERATE(1.001, 1.01, 1.1, 1.2, 1.3, 1.5, 1.75, 2.0, 3.0, 4.0);
  const double deviation = GENERATE(1.0, 2.0, 5.0);
  at::Tensor scores = normal_step({.seed = 11}, {4, 50257}, at::kFloat) * deviation - 80;
  scores.narrow(1, 100, 50).add_(8);
  scores[3].copy_(std::get<0>(scores[3].sort()));  // the largest lie in few blocks
  const at::Tensor p = entmax(scores, alpha), exact = entmax(scores.to(at::kDouble), alpha);
  INFO("alpha " << alpha << ", deviation " << deviation);
  CHECK((p - exact).abs().max().item<double>() < 2e-7);
  const std::vector<int64_t> words{5, 120, 50256, 50250};
  // By threshold: small probabilities underflow in float32 for alpha near 1.
  EntmaxRow<float> single(alpha, scores.size(1));
  EntmaxRow<double> precise(alpha, scores.size(1));
  for (int64_t r = 0; r < scores.size(0); ++r) {
    const at::Tensor wide = scores[r].to(at::kDouble);
    const EntmaxSolution found = single.solve(scores[r].const_data_ptr<float>(), scores.size(1));
    const EntmaxSolution expected = precise.solve(wide.const_data_ptr<double>(), scores.size(1));
    CHECK(found.support == expected.support);
    CHECK(std::abs(single.loss(found, scores[r][words[r]].item<float>()) -
                   precise.loss(expected, wide[words[r]].item<double>())) < 1e-6);
  }
  // Rounding to float32 adds half a unit in the last place: 1e-6 for a loss from 16 to 32.
  const at::Tensor targets = at::tensor(words, at::kLong);
  const at::Tensor loss = entmax_loss(scores, targets, alpha);
  CHECK(at::allclose(loss.to(at::kDouble), entmax_loss(scores.to(at::kDouble), targets, alpha),
                     std::pow(2, -24), 1e-6));
}

TEST_CASE("entmax: a vocabulary of 250,000 agrees with bisection in extended precision", "[nn]") {
  // T24 of the reliability contract. The second row is that of the first in bfloat16, with many
  // ties.
  const double alpha = GENERATE(1.0001, 1.2, 1.5, 2.0, 4.0);
  constexpr int64_t kMany = 250'000;
  at::Tensor scores = normal_step({.seed = 17}, {3, kMany}, at::kFloat) * 3 - 40;
  scores[1].copy_(scores[0].to(at::kBFloat16));
  scores[2].fill_(7.25);  // all equal
  INFO("alpha " << alpha);
  const at::Tensor single = scores.detach().requires_grad_();
  const at::Tensor targets = at::tensor(std::vector<int64_t>{0, 1234, kMany - 1}, at::kLong);
  const at::Tensor loss = entmax_loss(single, targets, alpha);
  const at::Tensor gradient = torch::autograd::grad({loss.sum()}, {single})[0];
  CHECK(loss.isfinite().all().item<bool>());
  CHECK(gradient.sum(1, false, at::kDouble).abs().max().item<double>() < 1e-6);
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    const at::Tensor p = entmax(scores.to(type), alpha);
    CHECK((p.sum(1, false, at::kDouble) - 1).abs().max().item<double>() < 1e-6);
    CHECK((p[2] * kMany - 1).abs().max().item<double>() < 1e-6);
    if (alpha < 1.1) continue;  // all scores are candidates, which takes the bisection minutes
    const double tolerance = type == at::kFloat ? 2e-7 : 1e-9;
    for (int64_t r = 0; r < 2; ++r) {
      CHECK(largest_difference(p[r], oracle(values_of(scores[r]), alpha)) < tolerance);
    }
  }
}

TEST_CASE("entmax: scores of bfloat16 are converted to float32 by the caller", "[nn]") {
  // T24 of the reliability contract. The kernel reads float32 and float64, and refuses other types.
  const double alpha = GENERATE(1.0001, 1.2, 1.5, 2.0, 4.0);
  const at::Tensor rounded =
      (normal_step({.seed = 18}, {4, 3000}, at::kFloat) * 3).to(at::kBFloat16);
  INFO("alpha " << alpha);
  CHECK_THROWS(entmax(rounded, alpha));
  const at::Tensor targets = at::tensor(std::vector<int64_t>{0, 17, 999, 2999}, at::kLong);
  const auto gradient_for = [&](const at::Tensor& leaf) {
    const at::Tensor loss = entmax_loss(leaf.to(at::kFloat), targets, alpha);
    CHECK(loss.isfinite().all().item<bool>());
    return torch::autograd::grad({loss.sum()}, {leaf})[0];
  };
  const at::Tensor exact = gradient_for(rounded.to(at::kFloat).requires_grad_());
  CHECK(exact.sum(1, false, at::kDouble).abs().max().item<double>() < 1e-6);
  CHECK(gradient_for(rounded.detach().requires_grad_()).equal(exact.to(at::kBFloat16)));
  const at::Tensor p = entmax(rounded.to(at::kFloat), alpha);
  CHECK((p.sum(1, false, at::kDouble) - 1).abs().max().item<double>() < 1e-6);
  for (int64_t r = 0; r < 4; ++r) {
    CHECK(largest_difference(p[r], oracle(values_of(rounded[r]), alpha)) < 2e-7);
  }
}

TEST_CASE("entmax: masked and infinite scores", "[nn]") {
  const double alpha = GENERATE(1.1, 1.3, 1.5, 2.0, 3.0);
  CHECK(entmax(row({-kInfinity, 2, -kInfinity, 2}), alpha).allclose(row({0, .5, 0, .5})));
  CHECK(entmax(row({-kInfinity, -kInfinity, 7}), alpha).equal(row({0, 0, 1})));
  CHECK(entmax(row({0, kInfinity, 3}), alpha).equal(row({0, 1, 0})));
  CHECK(entmax_loss(row({0, kInfinity, 3}), target(1), alpha).item<double>() == 0);
  CHECK(entmax_loss(row({0, kInfinity, 3}), target(0), alpha).item<double>() == kInfinity);
  // A block of scores that are all masked, among others.
  for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
    const at::Tensor scores = (2 * torch::randn({1, 200})).to(type);
    scores.slice(1, 64, 128).fill_(-kInfinity);
    const at::Tensor p = entmax(scores, alpha);
    const auto others = [](const at::Tensor& all) {
      return at::cat({all.slice(1, 0, 64), all.slice(1, 128)}, 1);
    };
    CHECK(p.slice(1, 64, 128).count_nonzero().item<int64_t>() == 0);
    CHECK(others(p).allclose(entmax(others(scores), alpha), 0, type == at::kFloat ? 2e-7 : 1e-12));
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::vector<double>& scores :
       {std::vector<double>{-kInfinity, -kInfinity}, {1, nan}, {kInfinity, kInfinity}}) {
    CHECK(entmax(row(scores), alpha).isnan().any().item<bool>());
    CHECK(std::isnan(entmax_loss(row(scores), target(0), alpha).item<double>()));
  }
}

TEST_CASE("entmax: refuses values of alpha outside 1 to 4", "[nn]") {
  CHECK_THROWS_WITH(entmax(row(kScores), 10), Contains("allowed: 1 to 4"));
  CHECK_THROWS_WITH(entmax_loss(row(kScores), target(0), 0.5), Contains("allowed: 1 to 4"));
  CHECK_THROWS_WITH(entmax_alpha_gradient(row(kScores), row(kScores), 1.001),
                    Contains("allowed: 1.01 to 4"));
}

TEST_CASE("vector math: logarithms have a small relative error", "[nn]") {
  double largest = 0, near_zero = 0;
  float x = 1e-30f;
  while (x < 1e30f) {
    const double exact = std::log(static_cast<double>(x));
    largest =
        std::max(largest, std::abs(vector_math::log(x) - exact) / std::max(std::abs(exact), 1e-6));
    x *= 1.01f;
  }
  x = 1e-12f;
  while (x < 1) {
    for (const float t : {x, -0.999f * x}) {
      const double exact = std::log1p(static_cast<double>(t));
      near_zero = std::max(near_zero, std::abs(vector_math::log1p(t) - exact) / std::abs(exact));
    }
    x *= 1.01f;
  }
  CHECK(largest < 3e-7);
  CHECK(near_zero < 4e-7);
}

TEST_CASE("entmax: operations composed for other devices equal the row kernel", "[nn]") {
  const at::Tensor spread = at::linspace(0.1, 10, 40, at::kDouble).unsqueeze(1);
  at::Tensor scores = normal_step({.seed = 6}, {40, 700}, at::kDouble) * spread - 80;
  scores.narrow(1, 100, 50).fill_(-kInfinity);
  scores[5].fill_(3);  // all equal
  scores[6].fill_(-kInfinity);
  scores[6][9] = 2;  // one finite score
  scores[7][11] = kInfinity;
  for (const double alpha : {1.00001, 1.001, 1.01, 1.1, 1.2, 1.33, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0}) {
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
      INFO("alpha " << alpha << ", " << at::toString(type));
      const at::Tensor z = scores.to(type);
      const EntmaxRows row = solve_entmax(z, alpha), composed = solve_entmax_composed(z, alpha);
      const bool exact = type == at::kDouble;
      const double tolerance = exact ? 1e-10 : 5e-7;
      CHECK(composed.probabilities.scalar_type() == type);
      CHECK((composed.probabilities - row.probabilities).abs().max().item<double>() < tolerance);
      CHECK((composed.power_sums - row.power_sums).abs().max().item<double>() < 10 * tolerance);
      CHECK(at::allclose(composed.thresholds, row.thresholds, 0, exact ? 1e-10 : 2e-5));
      if (exact) CHECK(at::equal(composed.support, row.support));
      const at::Tensor targets = at::arange(40) * 17;
      CHECK(at::allclose(composed.loss(z, targets, alpha), row.loss(z, targets, alpha), 1e-6,
                         exact ? 1e-9 : 2e-5));
    }
  }
  // Rows without a distribution.
  const at::Tensor invalid = at::tensor({0.0, std::nan(""), 1.0, -kInfinity, -kInfinity, -kInfinity,
                                         kInfinity, 1.0, kInfinity})
                                 .view({3, 3});
  for (const double alpha : {1.5, 3.0}) {
    const EntmaxRows composed = solve_entmax_composed(invalid, alpha);
    CHECK(composed.probabilities.sum(1).isnan().all().item<bool>());
    CHECK(composed.power_sums.isnan().all().item<bool>());
    CHECK(solve_entmax(invalid, alpha).probabilities.sum(1).isnan().all().item<bool>());
  }
}

TEST_CASE("entmax: the support contains scores above the threshold whose probability underflows",
          "[nn]") {
  // Alpha 1.01: p = (1 - .01 x 99)^100 = 1e-200 underflows in float32.
  const at::Tensor scores = at::tensor({0.F, -99.F, -101.F}).unsqueeze(0);
  for (const EntmaxRows& solved :
       {solve_entmax(scores, 1.01), solve_entmax_composed(scores, 1.01)}) {
    CHECK(solved.probabilities[0][1].item<float>() == 0);
    CHECK(solved.support.item<int64_t>() == 2);
  }
}

// tests/peers/entmax.py: the file LVTEXT_ENTMAX has float64 numbers, for each group of rows alpha,
// N, V, the scores and the cotangents [N, V]. Written to LVTEXT_ENTMAX.out, for each group: p
// [N, V], support sizes [N], the products of cotangents and Jacobian [N, V], derivatives for alpha
// [N].
TEST_CASE("entmax: rows of a file", "[.peer]") {
  const char* name = std::getenv("LVTEXT_ENTMAX");
  REQUIRE(name != nullptr);
  std::ifstream given(name, std::ios::binary);
  std::ofstream answers(std::string(name) + ".out", std::ios::binary);
  const auto read = [&](int64_t rows, int64_t columns) {
    const at::Tensor values = at::zeros({rows, columns}, at::kDouble);
    given.read(reinterpret_cast<char*>(values.mutable_data_ptr<double>()),
               static_cast<std::streamsize>(values.nbytes()));
    return values;
  };
  const auto write = [&](const at::Tensor& values) {
    const at::Tensor numbers = values.to(at::kDouble).contiguous();
    answers.write(reinterpret_cast<const char*>(numbers.const_data_ptr<double>()),
                  static_cast<std::streamsize>(numbers.nbytes()));
  };
  while (given.peek() != std::ifstream::traits_type::eof()) {
    const std::vector<double> head = values_of(read(1, 3));
    const double alpha = head[0];
    const auto rows = static_cast<int64_t>(head[1]), words = static_cast<int64_t>(head[2]);
    const at::Tensor scores = read(rows, words).requires_grad_(), cotangents = read(rows, words);
    REQUIRE(given.good());
    const at::Tensor p = entmax(scores, alpha);
    write(p.detach());
    write(solve_entmax(scores.detach(), alpha).support);
    write(torch::autograd::grad({p}, {scores}, {cotangents})[0]);
    write(entmax_alpha_gradient(p.detach(), cotangents, alpha));
  }
}
