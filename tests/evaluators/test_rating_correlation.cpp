// Correlation of sentence scores with ratings.
#include "evaluators/correlation/rating_correlation_evaluator.h"

#include <cmath>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/statistics/correlation.h"
#include "framework/core/statistics/sentence_values.h"
#include "tests/catch.h"
#include "tests/text.h"

using namespace lvtext;

namespace {

Score sentences(Direction direction, std::vector<double> values) {
  return summarized({.id = "s",
                     .direction = direction,
                     .signature = "s|version:1",
                     .rows = {"mean", 1, std::move(values)}});
}

}  // namespace

TEST_CASE("rating_correlation: similarity with content, perplexity with fluency", "[evaluators]") {
  const auto sim =
      rating_correlation(sentences(Direction::kHigher, {.91, .75, .75, .40, .66}), {4, 3, 2, 1, 3});
  CHECK(sim[0].id == "rho");
  CHECK(sim[0].value == Approx(0.7631578947).epsilon(1e-9));
  CHECK(find_score(sim, "p")->value == Approx(24.0 / 120));
  CHECK(find_score(sim, "n")->value == 5);
  CHECK(sim[0].signature ==
        "rating_correlation|spearman|n_sentences:5|p:permutation|version:2|of:[s|version:1]");
  // Lower perplexities are better: their negatives are correlated.
  const auto pp = rating_correlation(sentences(Direction::kLower, {20, 35, 90, 15}), {3, 3, 1, 4});
  CHECK(pp[0].value == Approx(0.9486832981).epsilon(1e-9));
}

TEST_CASE("rating_correlation: the interval resamples sentences", "[evaluators]") {
  std::vector<double> values, ratings;
  for (int i = 0; i < 40; ++i) {
    values.push_back(i + 8 * std::sin(i));
    const int level = 1 + i / 10;
    ratings.push_back(level);
  }
  const auto scores = rating_correlation(sentences(Direction::kNone, values), ratings);
  REQUIRE(scores[0].interval);
  CHECK(scores[0].interval->lo < scores[0].value);
  CHECK(scores[0].interval->hi > scores[0].value);
  std::vector<double> a, b;
  for (uint64_t position = 0; position < 40; ++position) {
    const uint64_t at = bootstrap_draw(BootstrapOptions().seed, 3, position, 40);
    a.push_back(values[at]);
    b.push_back(ratings[at]);
  }
  CHECK(scores[0].resamples[3] == Approx(*spearman(a, b)));
  CHECK(scores[0].n == 40);
}

TEST_CASE("rating_correlation: undefined values and unequal sizes", "[evaluators]") {
  // The second sentence has no token and therefore no perplexity.
  Score pp{.id = "perplexity", .direction = Direction::kLower};
  pp.rows = {"exp_ratio", 2, {2, 1, 0, 0, 6, 2, 8, 2, 9, 3}};
  const std::vector<double> each = sentence_values(pp.rows);
  REQUIRE(each.size() == 5);
  CHECK(each[0] == Approx(std::exp(2)));
  CHECK(std::isnan(each[1]));
  const auto scores = rating_correlation(pp, {4, 1, 3, 1, 2});
  CHECK(find_score(scores, "n")->value == 4);
  // Perplexities e^2, e^3, e^4, e^3 and ratings 4, 3, 1, 2; ranks of the negatives 4, 2.5, 1, 2.5.
  CHECK(scores[0].value == Approx(4.5 / std::sqrt(4.5 * 5)));
  CHECK(std::isnan(rating_correlation(sentences(Direction::kNone, {1, 2, 3}), {2, 2, 2})[0].value));
  CHECK(contains(message_of([] { rating_correlation({.id = "corpus", .value = 1}, {1}); }),
                 "no value for each sentence"));
  CHECK(contains(message_of([] {
                   rating_correlation(sentences(Direction::kNone, {1, 2, 3}), {1, 2});
                 }),
                 "3 sentences, but the input has 2 ratings"));
}
