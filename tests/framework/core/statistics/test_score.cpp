#include "framework/core/statistics/score.h"

#include <cmath>
#include <vector>

#include "tests/catch.h"

using namespace lvtext;

namespace {

Score with_rows(std::vector<double> values) {
  return summarized({.id = "mean", .rows = {"mean", 1, std::move(values)}});
}

}  // namespace

TEST_CASE("score: a geometric mean of ratios with a penalty", "[statistics]") {
  // sqrt(3/4 * 1/3) = 1/2; too short by one fifth: exp(1 - 5/4).
  CHECK(penalized_precision(std::vector<double>{3, 1, 4, 3, 5, 5}) == Approx(50));
  CHECK(penalized_precision(std::vector<double>{3, 1, 4, 3, 4, 5}) == Approx(50 * std::exp(-0.25)));
  CHECK(penalized_precision(std::vector<double>{3, 0, 4, 3, 4, 5}) == 0);
  CHECK(penalized_precision(std::vector<double>{0, 0, 0, 0, 0, 5}) == 0);
  CHECK(value_of({"bleu:2", 6, {1, 1, 2, 1, 2, 2, 2, 0, 2, 2, 3, 3}}) == Approx(50));
}

TEST_CASE("score: derived scores are resampled with their inputs", "[statistics]") {
  const Score x = with_rows({1, 4, 2, 8, 5, 7}), y = with_rows({2, 1, 3, 3, 2, 4});
  const auto quotient = [](std::span<const double> values) {
    return std::vector<double>{values[0] / values[1], -values[0]};
  };
  std::vector<Score> results = {{.id = "quotient"}, {.id = "negative"}};
  derive(results, std::vector<Score>{x, y}, quotient);
  CHECK(results[0].value == Approx(27.0 / 15));
  REQUIRE(results[0].resamples.size() == 1000);
  // By hand: resample 7 has the same sentences of both inputs.
  double above = 0, below = 0;
  for (uint64_t i = 0; i < 6; ++i) {
    above += x.rows.values[bootstrap_draw(1111, 7, i, 6)];
    below += y.rows.values[bootstrap_draw(1111, 7, i, 6)];
  }
  CHECK(results[0].resamples[7] == Approx(above / below));
  CHECK(results[0].interval->lo < results[0].value);
  CHECK(results[0].interval->hi > results[0].value);
  CHECK(results[1].interval->lo == Approx(-x.interval->hi));
  // A derived score can be an input.
  Score again{.id = "again"};
  derive({&again, 1}, std::vector<Score>{results[0], y},
         [](std::span<const double> values) { return std::vector<double>{values[0] * values[1]}; });
  CHECK(again.value == Approx(x.value));
  CHECK(again.interval->lo == Approx(x.interval->lo));
  CHECK(resampled(again) == again.resamples);
}

TEST_CASE("score: no interval without statistics of all inputs", "[statistics]") {
  const Score x = with_rows({0, 0, 0, 1}), fixed{.id = "size", .value = 4};
  Score result;
  const auto quotient = [](std::span<const double> values) {
    return std::vector<double>{values[0] / values[1]};
  };
  derive({&result, 1}, std::vector<Score>{x, fixed}, quotient);
  CHECK(result.value == Approx(1.0 / 16));
  CHECK_FALSE(result.interval);
  CHECK(resampled(result).empty());
  // Some resamples of x are 0.
  derive({&result, 1}, std::vector<Score>{fixed, x}, quotient);
  derive({&result, 1}, std::vector<Score>{x, x}, quotient);
  CHECK(result.value == 1);
  CHECK_FALSE(result.interval);
}

TEST_CASE("score: lookup by id and line", "[statistics]") {
  const std::vector<Score> plain = {{.id = "a"}, {.id = "b"}};
  CHECK(find_score(plain, "") == plain.data());
  CHECK(find_score(plain, "b") == plain.data() + 1);
  CHECK(find_score(plain, "c") == nullptr);
  CHECK(missing_score_reason("bleu", "c") == "bleu has no score 'c'");
  CHECK(find_score(plain, "a", 0) == nullptr);
  const std::vector<Score> lines = {{.id = "a", .line = 0}, {.id = "a", .line = 1}};
  CHECK(find_score(lines, "", 1) == lines.data() + 1);
  CHECK(find_score(lines, "a", 2) == nullptr);
  CHECK(find_score(lines, "a") == nullptr);
}

TEST_CASE("score: a ratio of nothing is undefined, with a reason", "[statistics]") {
  for (const char* functional : {"ratio", "exp_ratio", "bits_ratio"}) {
    INFO(functional);
    const Score none = summarized(
        {.id = "x", .reason = "no token is counted", .rows = {functional, 2, {-1e-9, 0, 2e-9, 0}}});
    CHECK(std::isnan(none.value));
    CHECK(none.reason == "no token is counted");
    CHECK_FALSE(none.interval);
    const Score some = summarized(
        {.id = "x", .reason = "no token is counted", .rows = {functional, 2, {1, 2, 3, 0}}});
    CHECK(std::isfinite(some.value));
    CHECK(some.reason.empty());
  }
  CHECK(summarized({.id = "x", .rows = {}}).reason == "there are no sentences");
}

TEST_CASE("score: a derived score is undefined for the reason of what it is derived from",
          "[statistics]") {
  const std::vector<Score> from = {
      {.id = "a", .value = 2},
      {.id = "b", .value = std::nan(""), .reason = "there are no sentences"}};
  Score sum{.id = "sum", .reason = "never"};
  const Derivation add = [](std::span<const double> x) { return std::vector{x[0] + x[1]}; };
  derive({&sum, 1}, from, add);
  CHECK(std::isnan(sum.value));
  CHECK(sum.reason == "there are no sentences");
  derive({&sum, 1}, std::vector<Score>{from[0], from[0]}, add);
  CHECK(sum.value == 4);
  CHECK(sum.reason.empty());
}
