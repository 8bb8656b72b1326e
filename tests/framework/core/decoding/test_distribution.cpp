#include "framework/core/decoding/distribution.h"

#include <ATen/ATen.h>

#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/decoding/policy_row.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

/// Scores of the specification's cases (specification 2, section 7.1).
const std::vector<float> kScores{1.2F, 0.3F, -0.5F, 2.0F, 0.0F};

struct Call {
  OutputMap map = {};
  std::vector<int32_t> excluded = {};
  NoiseKey key = {.seed = 5};

  auto rows(const std::vector<PolicyOptions>& policies, const at::Tensor& scores,
            const at::Tensor& targets) const {
    return policy_rows(policies, map, excluded, scores, targets, ids(scores), positions(scores),
                       key);
  }
  auto composed(const std::vector<PolicyOptions>& policies, const at::Tensor& scores,
                const at::Tensor& targets) const {
    return composed_policy_rows(policies, map, excluded, scores, targets, ids(scores),
                                positions(scores), key);
  }
  static at::Tensor ids(const at::Tensor& scores) { return at::arange(scores.size(0)) + 3; }
  static at::Tensor positions(const at::Tensor& scores) { return at::arange(scores.size(0)) % 7; }
};

/// The distribution over the tokens of one row, by a target at every token; both ways to compute it
/// agree.
std::vector<double> distribution_of(const PolicyOptions& policy, const std::vector<float>& scores,
                                    const OutputMap& map = {}) {
  const auto v = static_cast<int64_t>(scores.size());
  const at::Tensor rows = at::tensor(scores).unsqueeze(0).repeat({v, 1});
  const Call call{.map = map};
  const PolicyRows found = call.rows({policy}, rows, at::arange(v))[0];
  const PolicyRows composed = call.composed({policy}, rows, at::arange(v))[0];
  CHECK(at::allclose(found.probability, composed.probability, 0, 1e-6));
  CHECK(at::allclose(found.squares, found.probability.square().sum().expand({v}), 1e-9));
  CHECK(at::equal(found.support, composed.support));
  const auto* first = found.probability.const_data_ptr<double>();
  return {first, first + v};
}

void check_close(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (size_t k = 0; k < found.size(); ++k) CHECK(found[k] == Approx(expected[k]).margin(2e-7));
}

PolicyOptions sampling(double temperature = 1) {
  return {.type = Policy::kTemperature, .temperature = temperature};
}
PolicyOptions top(int64_t k, double temperature = 1) {
  return {.type = Policy::kTopK, .temperature = temperature, .k = k};
}
PolicyOptions nucleus(double p, double temperature = 1) {
  return {.type = Policy::kNucleus, .temperature = temperature, .p = p};
}
PolicyOptions with_alpha(PolicyOptions policy, double alpha) {
  policy.alpha = alpha;
  return policy;
}

/// Policies of all kinds and maps.
std::vector<PolicyOptions> many_policies() {
  std::vector<PolicyOptions> all = {{},          sampling(),   sampling(.7),   sampling(.95),
                                    sampling(2), top(1),       top(5),         top(50),
                                    top(400),    top(7, .8),   nucleus(1e-12), nucleus(.5),
                                    nucleus(.9), nucleus(.97), nucleus(1),     nucleus(.9, 2)};
  for (const double alpha : {1.0, 1.2, 1.5, 2.0, 3.0}) {
    for (const PolicyOptions& each :
         {sampling(), sampling(.8), top(3), top(100), nucleus(.3), nucleus(.9), nucleus(.9, 1.5)}) {
      all.push_back(with_alpha(each, alpha));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("policy rows: decoders equal the specification's", "[decoding]") {
  // Specification 2, section 7.6.
  check_close(distribution_of(sampling(), kScores),
              {.24295501, .09877814, .04438388, .54070633, .07317664});
  check_close(distribution_of(top(2), kScores), {.31002552, 0, 0, .68997448, 0});
  check_close(distribution_of(nucleus(.5), kScores), {0, 0, 0, 1, 0});
  check_close(distribution_of(nucleus(.78), kScores), {.31002552, 0, 0, .68997448, 0});
  check_close(distribution_of(nucleus(.8), kScores), {.27532201, .11193758, 0, .61274041, 0});
  check_close(distribution_of(nucleus(.9), kScores),
              {.25423913, .10336592, 0, .56581959, .07657536});
  check_close(distribution_of(sampling(.8), kScores),
              {.22802430, .07402865, .02723362, .61983432, .05087910});
  check_close(distribution_of(sampling(.95), kScores),
              {.24045302, .09323809, .04016721, .55815126, .06799042});
  check_close(distribution_of({}, kScores), {0, 0, 0, 1, 0});
  const auto sparsemax_score = [](const PolicyOptions& policy, int64_t target) {
    const PolicyRows rows = Call().rows({policy}, at::tensor(kScores).unsqueeze(0),
                                        at::tensor(std::vector<int64_t>{target}))[0];
    return rows.probability.item<double>() + (1 - rows.squares.item<double>()) / 2;
  };
  CHECK(sparsemax_score(sampling(), 0) == Approx(.55871884).margin(1e-7));
  CHECK(sparsemax_score(sampling(), 2) == Approx(.36014771).margin(1e-7));
  CHECK(sparsemax_score(top(2), 0) == Approx(.52393522).margin(1e-7));
  CHECK(sparsemax_score(top(2), 2) == Approx(.21390970).margin(1e-7));
  CHECK(sparsemax_score(nucleus(.9), 0) == Approx(.55357031).margin(1e-7));
  CHECK(sparsemax_score(nucleus(.9), 2) == Approx(.29933118).margin(1e-7));
  CHECK(sparsemax_score({}, 0) == 0);
}

TEST_CASE("policy rows: a policy's alpha replaces the model's, truncation applies it again",
          "[decoding]") {
  const OutputMap entmax{1.5};
  const std::vector<double> sparse = {.22843150, .00078093, 0, .77078757, 0};
  check_close(distribution_of(sampling(), kScores, entmax), sparse);
  check_close(distribution_of(with_alpha(sampling(), 1.5), kScores), sparse);
  check_close(distribution_of(with_alpha(sampling(), 1), kScores, entmax),
              {.24295501, .09877814, .04438388, .54070633, .07317664});
  check_close(distribution_of(with_alpha(sampling(), 2), kScores, entmax), {.1, 0, 0, .9, 0});
  // Entmax 1.5 of the two kept scores: the roots of p differ by .8 / 2, their squares add up to 1.
  const double low = (-.8 + std::sqrt(.64 + 8 * (1 - .16))) / 4;
  for (const PolicyOptions& policy : {top(2), nucleus(.8)}) {
    check_close(distribution_of(policy, kScores, entmax),
                {low * low, 0, 0, (low + .4) * (low + .4), 0});
  }
  // The kept tokens contain the support: nothing changes.
  check_close(distribution_of(top(4), kScores, entmax), sparse);
  const PolicyRows rows = Call{.map = entmax}.rows({top(4)}, at::tensor(kScores).unsqueeze(0),
                                                   at::zeros({1}, at::kLong))[0];
  CHECK(rows.support.item<int64_t>() == 3);
}

TEST_CASE("policy rows: ties are broken by lowest id, and a nucleus exceeds its limit",
          "[decoding]") {
  check_close(distribution_of(top(2), {1, 3, 1, 1}),
              {std::exp(-2) / (1 + std::exp(-2)), 1 / (1 + std::exp(-2)), 0, 0});
  check_close(distribution_of(top(3), {0, 0, 0, 0, 0}), {1 / 3.0, 1 / 3.0, 1 / 3.0, 0, 0});
  // Uniform: exactly half of the mass is not enough.
  check_close(distribution_of(nucleus(.5), {0, 0, 0, 0}), {1 / 3.0, 1 / 3.0, 1 / 3.0, 0});
  check_close(distribution_of(nucleus(.49), {0, 0, 0, 0}), {.5, .5, 0, 0});
  check_close(distribution_of(nucleus(.75), {0, 0, 0, 0}), {.25, .25, .25, .25});
  check_close(distribution_of({}, {0, 2, 2, 1}), {0, 1, 0, 0});
  // Specification 2, section 7.6: probabilities .5, .25, .25, here by sparsemax, which is exact.
  const std::vector<float> scores = {.25F, 0, 0};
  check_close(distribution_of(sampling(), scores, {2}), {.5, .25, .25});
  check_close(distribution_of(nucleus(.5), scores, {2}), {.625, .375, 0});
  check_close(distribution_of(nucleus(.75), scores, {2}), {.5, .25, .25});
}

TEST_CASE("policy rows: total probabilities of sets of tokens", "[decoding]") {
  const int64_t v = 40;
  const at::Tensor scores = normal({.seed = 8}, at::arange(3), {v}, at::kFloat) * 3;
  // Row 0: {} and {7, 3}; row 1: {0} twice; row 2: a token, and all of them.
  TokenSets sets{.ids = {7, 3, 0}, .begins = {0, 2, 3}, .counts = {0, 2, 1, 1, 1, v}, .sets = 2};
  for (int32_t id = v - 1; id >= 0; --id) sets.ids.push_back(id);
  const std::vector<PolicyOptions> policies = many_policies();
  const at::Tensor none = at::zeros({3}, at::kLong);
  const auto found = policy_rows(policies, {}, {}, scores, none, none, none, {}, sets);
  const auto composed = composed_policy_rows(policies, {}, {}, scores, none, none, none, {}, sets);
  for (size_t k = 0; k < policies.size(); ++k) {
    INFO("policy " << k);
    const auto of = [&](int64_t row, int64_t token) {
      const at::Tensor target = at::full({1}, token, at::kLong);
      return policy_rows(std::vector{policies[k]}, {}, {}, scores.narrow(0, row, 1), target, target,
                         target, {})[0]
          .probability.item<double>();
    };
    const at::Tensor expected = at::tensor(
        std::vector<double>{0, of(0, 7) + of(0, 3), of(1, 0), of(1, 0), of(2, v - 1), 1});
    CHECK(at::allclose(found[k].masses.flatten(), expected, 0, 1e-7));
    CHECK(at::allclose(composed[k].masses.flatten(), expected, 0, 1e-5));
  }
}

TEST_CASE("policy rows: they equal the composed operations, and each policy alone", "[decoding]") {
  const std::vector<PolicyOptions> policies = many_policies();
  for (const int64_t v : {1, 2, 5, 64, 65, 300, 2500}) {
    for (const bool excludes : {false, true}) {
      if (excludes && v < 5) continue;
      const int64_t count = 24;
      // From flat to peaked rows, and with many equal scores.
      at::Tensor scores = normal({.seed = 4}, at::arange(count), {v}, at::kFloat) *
                          at::linspace(0.01, 8, count, at::kFloat).unsqueeze(1);
      scores.narrow(0, 10, 5).copy_((scores.narrow(0, 10, 5) * 2).round() / 2);
      const at::Tensor targets = (at::arange(count) * 37) % v;
      Call call;
      if (excludes) call.excluded = {0, 3};
      const auto found = call.rows(policies, scores, targets);
      const auto composed = call.composed(policies, scores, targets);
      for (size_t k = 0; k < policies.size(); ++k) {
        INFO("V " << v << ", policy " << k << ", excludes " << excludes);
        CHECK(at::allclose(found[k].probability, composed[k].probability, 1e-5, 1e-9));
        CHECK(at::allclose(found[k].squares, composed[k].squares, 1e-5, 1e-9));
        CHECK(at::equal(found[k].support, composed[k].support));
        CHECK(at::equal(found[k].draws, composed[k].draws));
        const PolicyRows alone = call.rows({policies[k]}, scores, targets)[0];
        CHECK(at::equal(found[k].probability, alone.probability));
        CHECK(at::equal(found[k].squares, alone.squares));
        CHECK(at::equal(found[k].support, alone.support));
        CHECK(at::equal(found[k].draws, alone.draws));
        // The draws are those of decoding.
        for (const int64_t row : {0, 9, 23}) {
          const at::Tensor id =
              choose_tokens(policies[k], {}, call.excluded, scores.narrow(0, row, 1),
                            Call::ids(scores).narrow(0, row, 1), call.key, row % 7);
          CHECK(id.item<int64_t>() == found[k].draws[row].item<int64_t>());
        }
      }
    }
  }
}

TEST_CASE(
    "policy rows: scores of -infinity are in no support, other rows that are not finite are "
    "refused",
    "[decoding]") {
  const float inf = INFINITY;
  const std::vector<PolicyOptions> policies = many_policies();
  const at::Tensor scores = at::tensor({-inf, 2.F,  -inf, -inf, -inf, 1.F, -inf, -inf,  //
                                        0.F,  1.F,  NAN,  0.F,  0.F,  inf, 1.F,  2.F,   //
                                        -inf, -inf, -inf, -inf})
                                .view({5, 4});
  const auto rows = Call().rows(policies, scores, at::tensor({1, 1, 1, 1, 1}, at::kLong));
  for (size_t k = 0; k < policies.size(); ++k) {
    INFO("policy " << k);
    for (const int64_t row : {0, 1}) {
      CHECK(rows[k].probability[row].item<double>() == 1);
      CHECK(rows[k].squares[row].item<double>() == 1);
      CHECK(rows[k].support[row].item<int64_t>() == 1);
      CHECK(rows[k].draws[row].item<int64_t>() == 1);
    }
    for (const int64_t row : {2, 3, 4}) {
      CHECK(std::isnan(rows[k].probability[row].item<double>()));
      CHECK(std::isnan(rows[k].squares[row].item<double>()));
      CHECK(rows[k].support[row].item<int64_t>() == 0);
      CHECK(rows[k].draws[row].item<int64_t>() == -1);
    }
  }
  const auto single = Call().rows(policies, at::full({1, 1}, -80.F), at::zeros({1}, at::kLong));
  for (const PolicyRows& each : single) {
    CHECK(each.probability.item<double>() == 1);
    CHECK(each.draws.item<int64_t>() == 0);
  }
  // A softmax gives tokens a probability even where it underflows.
  const auto low =
      Call().rows({sampling(), top(2), with_alpha(sampling(), 1.5)},
                  at::tensor({0.F, -500.F, -900.F}).unsqueeze(0), at::ones({1}, at::kLong));
  CHECK(low[0].support.item<int64_t>() == 3);
  CHECK(low[1].support.item<int64_t>() == 2);
  CHECK(low[2].support.item<int64_t>() == 1);
  CHECK_THROWS_AS(Call().rows(policies, scores, at::zeros({4}, at::kLong)), std::logic_error);
}

namespace {

/// Draws of all policies at rows of different sparsity; returns the number of draws.
int64_t draw_often(int64_t rows) {
  const std::vector<PolicyOptions> policies = many_policies();
  constexpr int64_t kTokens = 40;
  PolicyRow row(policies, {1.5}, {}, kTokens);
  int64_t draws = 0;
  for (int64_t from = 0; from < rows; from += 1000) {
    const at::Tensor ids = at::arange(from, from + 1000);
    const at::Tensor scores =
        normal({.seed = 8}, ids, {kTokens}, at::kFloat) *
        at::linspace(0.1, 30, 1000, at::kFloat).unsqueeze(1);  // the last ones underflow, too
    const at::Tensor numbers = uniform({.seed = 9}, ids, {1}, at::kDouble);
    for (int64_t r = 0; r < 1000; ++r) {
      REQUIRE(row.read(scores.const_data_ptr<float>() + r * kTokens));
      const double number = numbers.const_data_ptr<double>()[r];
      for (size_t k = 0; k < policies.size(); ++k) {
        const int64_t id = row.apply(k, -1, number).draw;
        if (!(row.apply(k, id, number).probability > 0)) FAIL("policy " << k << " drew " << id);
        ++draws;
      }
    }
  }
  return draws;
}

}  // namespace

TEST_CASE("policy rows: a token of probability 0 is never drawn", "[decoding]") {
  CHECK(draw_often(2000) > 100000);
  // Numbers at both ends of their range, with tokens of probability 0 at both ends of the row.
  std::vector<float> scores(3000, -200);
  scores[700] = 1;
  scores[1500] = 1.5F;
  const std::vector<PolicyOptions> policies = many_policies();
  PolicyRow row(policies, {}, {}, 3000);
  REQUIRE(row.read(scores.data()));
  for (size_t k = 0; k < policies.size(); ++k) {
    for (const double number : {0x1p-24, 1 - 0x1p-24, 1 - 0x1p-53}) {
      const int64_t id = row.apply(k, -1, number).draw;
      CHECK((id == 700 || id == 1500));
    }
  }
}

TEST_CASE("policy rows: a token of probability 0 is never drawn, ten million times",
          "[decoding][long]") {
  CHECK(draw_often(200000) > 10000000);
}

TEST_CASE("policy rows: draws follow the distribution", "[decoding]") {
  const int64_t rows = 40000;
  const at::Tensor scores = at::tensor(kScores).unsqueeze(0).repeat({rows, 1});
  const std::vector<PolicyOptions> policies = {sampling(),
                                               sampling(.8),
                                               top(2),
                                               nucleus(.9),
                                               with_alpha(sampling(), 1.2),
                                               with_alpha(sampling(), 1.5),
                                               with_alpha(top(3), 1.2)};
  const auto found = Call().rows(policies, scores, at::zeros({rows}, at::kLong));
  for (size_t k = 0; k < policies.size(); ++k) {
    const std::vector<double> expected = distribution_of(policies[k], kScores);
    const at::Tensor counts = at::bincount(found[k].draws, {}, 5);
    double chi_square = 0;
    for (int64_t id = 0; id < 5; ++id) {
      const double count = counts[id].item<double>(), mean = expected[id] * rows;
      if (mean == 0) {
        CHECK(count == 0);
      } else {
        chi_square += (count - mean) * (count - mean) / mean;
      }
    }
    CHECK(chi_square < 23.5);  // at most 4 degrees of freedom: p < 0.0001
  }
}
