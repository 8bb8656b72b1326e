// Evaluators with scores as inputs.
#include <cmath>
#include <vector>

#include "evaluators/correlation/correlation_evaluator.h"
#include "evaluators/gm/gm_evaluator.h"
#include "evaluators/mean/mean_evaluator.h"
#include "evaluators/mean_rank/mean_rank_evaluator.h"
#include "evaluators/ratio/ratio_evaluator.h"
#include "framework/core/base/error.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

using Values = std::vector<double>;

const CorrelationKind kSpearman{"spearman", "rho", CorrelationType::kSpearman};
const CorrelationKind kPearson{"pearson", "r", CorrelationType::kPearson};
const CorrelationKind kKendall{"kendall", "tau", CorrelationType::kKendall};

Score score_of(double value, const std::string& unit = "") {
  return {.id = "s", .value = value, .unit = unit, .direction = Direction::kHigher, .n = 5};
}

std::vector<Score> scores_of(const Values& values) {
  std::vector<Score> scores;
  for (const double value : values) scores.push_back(score_of(value));
  return scores;
}

/// Sentences that vary around `mean`.
Score sampled(double mean, double phase) {
  Values values;
  for (int i = 0; i < 40; ++i) values.push_back(mean + std::sin(i * phase));
  return summarized({.id = "s", .direction = Direction::kHigher, .rows = {"mean", 1, values}});
}

const Score& find(const std::vector<Score>& scores, const std::string& id) {
  const Score* found = find_score(scores, id);
  REQUIRE(found);
  return *found;
}

/// Encoders avg, gem, hier, avg_max_hier, sent2vec, infersent, quickthought, sbert in Table 5 of
/// Vec2Sent (arXiv:2011.00592).
const std::vector<Values> kTable5 = {{0.57, 0.59, 0.58, 0.63, 0.57, 0.71, 0.61, 0.76},
                                     {72.18, 63.46, 68.34, 72.16, 75.16, 79.44, 82.58, 84.79},
                                     {74.49, 72.56, 72.66, 75.6, 77.51, 84.32, 84.66, 90.81},
                                     {74.83, 73.26, 74.48, 76.19, 87.44, 89.37, 89.97, 90.43},
                                     {89.47, 78.24, 86.53, 89.16, 91.58, 92.64, 94.8, 94.47},
                                     {76.39, 64.52, 72.32, 74.68, 78.91, 84.57, 88.08, 90.83},
                                     {39.1, 32.71, 37.65, 39.1, 40.68, 45.79, 48.64, 50.09},
                                     {69.6, 66, 64.4, 69, 76.4, 90.6, 91.4, 86.6},
                                     {80.95, 72.31, 79.74, 81.75, 80.74, 83.74, 84.05, 82.87},
                                     {74.28, 70.25, 72.97, 76.05, 78.77, 85.59, 82.73, 83.05},
                                     {0.63, 0.57, 0.59, 0.67, 0.72, 0.83, 0.81, 0.8},
                                     {0.57, 0.47, 0.55, 0.61, 0.53, 0.78, 0.79, 0.75},
                                     {26.1, 16.32, 21.24, 28.8, 29.01, 43.02, 42.32, 38.12},
                                     {63.86, 52.46, 62.33, 67.35, 59.84, 84.47, 78.06, 83.92}};
const Values kId = {15.18, 1.21, 14.97, 17.67, 2.77, 21.19, 20.02, 3.27};

}  // namespace

TEST_CASE("ratio: value, unit and the sentences of both", "[evaluators]") {
  const Score x = sampled(15.18, 1), y = sampled(43.22, 2);
  const Score ratio = ratio_score({.percent = true, .better = Direction::kHigher}, x, y);
  CHECK(ratio.value == Approx(100 * x.value / y.value));
  CHECK(ratio.unit == "%");
  CHECK(ratio.direction == Direction::kHigher);
  CHECK(ratio.n == 40);
  REQUIRE(ratio.interval);
  CHECK(ratio.resamples[3] == Approx(100 * resampled(x)[3] / resampled(y)[3]));
  // Equal sentences on both sides vary together.
  const Score one = ratio_score({}, x, x);
  CHECK(one.value == 1);
  CHECK(one.interval->lo == 1);
  CHECK(one.interval->hi == 1);
  CHECK(ratio_score({}, score_of(3, "nats"), score_of(2, "words")).unit == "nats/words");
  CHECK(ratio_score({}, score_of(3, "%"), score_of(2, "%")).unit.empty());
  CHECK(std::isnan(ratio_score({}, score_of(3), score_of(0)).value));
}

TEST_CASE("ratio: relative difference; undefined for a denominator that may be 0", "[evaluators]") {
  const Score over = ratio_score({.relative = true, .percent = true}, score_of(.35), score_of(.23));
  CHECK(over.value == Approx(52.1739130435));
  CHECK(over.unit == "%");
  CHECK(ratio_score({.relative = true}, score_of(.35), score_of(.23)).value ==
        Approx(0.521739130).epsilon(1e-9));
  const Score x = sampled(15.18, 1), y = sampled(43.22, 2);
  const Score relative = ratio_score({.relative = true}, x, y), plain = ratio_score({}, x, y);
  CHECK(relative.value == Approx(plain.value - 1));
  REQUIRE(relative.interval);
  CHECK(relative.interval->lo == Approx(plain.interval->lo - 1));
  CHECK(relative.signature != plain.signature);

  CHECK(ratio_score({}, score_of(1), score_of(0)).reason == "the denominator is 0");
  CHECK(ratio_score({}, score_of(1), score_of(-2)).value == -0.5);
  CHECK(ratio_score({.relative = true}, score_of(1), score_of(-2)).reason ==
        "the denominator is negative");
  const Score around = summarized({.id = "w", .rows = {"mean", 1, {-3, -1, 1, 3.4, -2, 2}}});
  REQUIRE(around.interval->lo < 0);
  REQUIRE(around.interval->hi > 0);
  const Score none = ratio_score({}, score_of(1), around);
  CHECK(std::isnan(none.value));
  CHECK_FALSE(none.interval);
  CHECK(none.reason.starts_with("the denominator 0.06667 is not different from 0"));
  const Score negative = summarized({.id = "w", .rows = {"mean", 1, {-3, -1, -1, -3.4, -2, -2}}});
  CHECK(ratio_score({}, score_of(1), negative).value < 0);
}

TEST_CASE("spearman: the matrix of the printed tables", "[evaluators]") {
  const Values expected = {0.3713, 0.3810, 0.4048, 0.4048, 0.4762, 0.3810, 0.3952,
                           0.5238, 0.7857, 0.5476, 0.6429, 0.8333, 0.6429, 0.7619};
  for (size_t task = 0; task < kTable5.size(); ++task) {
    const auto scores = correlation_scores(kSpearman, {.leave_one_out = false}, scores_of(kId),
                                           scores_of(kTable5[task]));
    CHECK(scores.front().id == "rho");
    CHECK(scores.front().value == Approx(expected[task]).margin(5e-5));
    CHECK(scores.front().signature == "spearman|n_rows:8|p:permutation|version:1");
    CHECK(find(scores, "n").value == 8);
    CHECK(find_score(scores, "lowest") == nullptr);
  }
}

TEST_CASE("correlation: p and range, exact for few rows, else Student's", "[evaluators]") {
  const auto few = correlation_scores(kPearson, {}, scores_of({.91, .75, .75, .40, .66}),
                                      scores_of({4, 3, 2, 1, 3}));
  CHECK(find(few, "r").value == Approx(0.8750459427445915));
  CHECK(find(few, "p").value == Approx(10.0 / 120));
  CHECK(find(few, "lowest").value == Approx(0.6278131454903604));
  CHECK(find(few, "highest").value == Approx(0.9807423671180925));
  const auto many = correlation_scores(
      kSpearman, {}, scores_of({3.1, 1.2, 4.8, 1.5, 9.2, 6.5, 3.5, 8.9, 7.9, 2.3, 8.4, 6.2}),
      scores_of({2.7, 1.8, 2.8, 1.8, 4.5, 9.0, 4.5, 2.3, 5.3, 6.0, 2.8, 7.4}));
  CHECK(find(many, "p").value == Approx(0.3052129762519472));
  CHECK(find(many, "p").signature == "spearman|n_rows:12|p:student_t|version:1");
}

TEST_CASE("correlation: rows without a value are omitted, too few rows have no result",
          "[evaluators]") {
  const auto nan = std::nan("");
  const auto four = correlation_scores(kSpearman, {}, scores_of({1, 2, nan, 3, 4, 9}),
                                       scores_of({5, 4, 8, 2, 3, nan}));
  CHECK(four.front().value == Approx(-0.8));
  CHECK(four.front().n == 4);
  const auto two = correlation_scores(kSpearman, {}, scores_of({1, 2}), scores_of({1, 2}));
  CHECK(std::isnan(two.front().value));
  CHECK(find_score(two, "p") == nullptr);
  CHECK(find(two, "n").value == 2);
  CHECK(std::isnan(
      correlation_scores(kPearson, {}, scores_of({.1, .1, .1}), scores_of({1, 2, 3}))[0].value));
  CHECK_THROWS_WITH(correlation_scores(kPearson, {}, scores_of({1, 2}), scores_of({1})),
                    "pearson: x has 2 rows and y has 1; both must have the same number of rows");
}

TEST_CASE("correlation: resampled with the sentences of all rows", "[evaluators]") {
  std::vector<Score> x, y;
  for (int i = 0; i < 5; ++i) {
    x.push_back(sampled(0.2 * i, 1 + i));
    y.push_back(sampled(0.3 * ((i * 2) % 5), 2 + i));
  }
  const auto scores = correlation_scores(kPearson, {}, x, y);
  REQUIRE(scores[0].interval);
  Values a, b;
  for (int i = 0; i < 5; ++i) {
    a.push_back(resampled(x[i])[11]);
    b.push_back(resampled(y[i])[11]);
  }
  CHECK(scores[0].resamples[11] == Approx(*pearson(a, b)));
  CHECK_FALSE(find(scores, "p").interval);
  x[2].rows = {};
  CHECK_FALSE(correlation_scores(kPearson, {}, x, y)[0].interval);
}

TEST_CASE("mean_rank: encoders over the tasks of the printed table", "[evaluators]") {
  InputScores inputs;
  for (const Values& task : kTable5) {
    inputs.metrics.push_back("task");
    inputs.scores.push_back(scores_of(task));
  }
  inputs.lines.assign(8, "encoder");
  const auto scores = mean_ranks(inputs);
  const Values expected = {5.571, 7.714, 6.857, 4.964, 4.821, 2.143, 2.000, 1.929};
  const Values ranks = {6, 8, 7, 5, 4, 3, 2, 1};
  REQUIRE(scores.size() == 16);
  for (size_t i = 0; i < 8; ++i) {
    CHECK(scores[i].value == Approx(expected[i]).margin(5e-4));
    const Score* rank = find_score(scores, "rank", i);
    REQUIRE(rank);
    CHECK(rank->value == ranks[i]);
    CHECK(scores[i].line == static_cast<int64_t>(i));
    CHECK(scores[i].n == 14);
    CHECK(scores[i].direction == Direction::kLower);
  }
}

TEST_CASE("mean_rank: directions, missing values and intervals", "[evaluators]") {
  InputScores inputs{{"a", "b", "c"}, {"up", "down"}, {}};
  inputs.scores = {{sampled(3, 1), sampled(1, 2), sampled(2, 3)},
                   {sampled(30, 1), sampled(20, 2), sampled(10, 3)}};
  for (Score& score : inputs.scores[1]) score.direction = Direction::kLower;
  const auto scores = mean_ranks(inputs);
  CHECK(scores[0].value == 2);    // ranks 1 and 3
  CHECK(scores[1].value == 2.5);  // 3 and 2
  CHECK(scores[2].value == 1.5);  // 2 and 1
  REQUIRE(scores[0].interval);
  for (size_t r = 0; r < 1000; r += 100) {
    CHECK(scores[0].resamples[r] + scores[1].resamples[r] + scores[2].resamples[r] == Approx(6));
    CHECK(scores[3].resamples[r] + scores[4].resamples[r] + scores[5].resamples[r] == Approx(6));
  }
  inputs.scores[0][0].value = std::nan("");
  const auto two = mean_ranks(inputs);
  CHECK(std::isnan(two[0].value));
  CHECK(two[1].value == 2);
  CHECK(two[2].value == 1);
  CHECK(std::isnan(find_score(two, "rank", 0)->value));
  CHECK(find_score(two, "rank", 1)->value == 2);
  CHECK(find_score(two, "rank", 2)->value == 1);
  for (Score& score : inputs.scores[1]) score.direction = Direction::kNone;
  CHECK_THROWS_AS(mean_ranks(inputs), ConfigError);
}

TEST_CASE("mean: of several metrics, with the interval of all of them", "[evaluators]") {
  const Score mean = mean_score({score_of(1, "%"), score_of(3, "%"), score_of(8, "%")});
  CHECK(mean.value == 4);
  CHECK(mean.unit == "%");
  CHECK(mean.direction == Direction::kHigher);
  CHECK(mean.n == 5);
  CHECK(mean_score({score_of(1, "%"), score_of(3)}).unit.empty());
  const Score missing = mean_score({score_of(1), score_of(std::nan(""))});
  CHECK(std::isnan(missing.value));
  CHECK(missing.reason == "one of the metrics is missing");
  CHECK_FALSE(mean.interval);
  const Score one = sampled(3, 0.3), both = mean_score({one, one});
  CHECK(both.value == Approx(one.value));
  REQUIRE(both.interval);
  CHECK(both.interval->lo == Approx(one.interval->lo));
  CHECK_THROWS_AS(mean_score({}), ConfigError);
  Score lower = score_of(1);
  lower.direction = Direction::kLower;
  CHECK(mean_score({score_of(1), lower}).direction == Direction::kNone);
}

TEST_CASE("gm: the formula", "[evaluators]") {
  const Values t = GmOptions{}.t;
  CHECK(geometric_mean(0.818, 0.805, 29.0, t) == Approx(22.75840369).epsilon(1e-9));
  CHECK(geometric_mean(0.818, 0.719, 37.3, t) == Approx(10.03363342).epsilon(1e-9));
  CHECK(geometric_mean(0.90, 0.90, 30, t) == Approx(32.51352494).epsilon(1e-9));
  CHECK(geometric_mean(0.90, 0.90, 10, t) == Approx(28.88939239).epsilon(1e-9));
  CHECK(geometric_mean(1, 0.95, 12.3, t) == Approx(35.24411652).epsilon(1e-9));
  CHECK(geometric_mean(0.90, 0.90, 97, t) == 0);
  CHECK(geometric_mean(0.62, 0.90, 30, t) == 0);
  CHECK(geometric_mean(0.1, 0.1, 200, t) == 0);
}

TEST_CASE("gm: the values of the paper's Table 7", "[evaluators]") {
  const std::vector<Values> rows = {
      {.818, .719, 37.3, 10.0}, {.819, .734, 26.3, 14.2}, {.813, .770, 36.4, 18.8},
      {.807, .796, 28.4, 21.5}, {.798, .783, 39.7, 19.2}, {.804, .785, 27.1, 20.3},
      {.805, .817, 43.3, 21.6}, {.818, .805, 29.0, 22.8}, {.591, .793, 56.1, 0.00},
      {.704, .798, 31.0, 16.3}, {.795, .801, 37.4, 20.8}, {.792, .802, 28.7, 21.4},
      {.794, .799, 39.4, 20.3}, {.781, .794, 28.0, 20.2}, {.834, .807, 47.7, 21.4},
      {.830, .799, 27.8, 22.6}, {.694, .728, 22.3, 8.81}, {.702, .747, 23.6, 11.7},
      {.692, .781, 49.9, 12.8}, {.698, .754, 39.2, 12.0}, {.702, .757, 33.9, 12.8},
      {.688, .753, 28.6, 11.8}, {.704, .794, 63.2, 12.8}, {.706, .768, 49.0, 12.8},
      {.678, .749, 30.8, 10.7}, {.778, .754, 55.0, 14.0}, {.698, .754, 39.2, 12.0},
      {.719, .756, 29.7, 14.0}, {.727, .750, 28.6, 13.7}, {.775, .758, 55.1, 14.3},
      {.749, .756, 45.6, 14.1}};
  // The same in the order of the rows, from the rounded inputs and not rounded.
  const Values exact = {10.0336, 14.2132, 18.8087, 21.5121, 19.1541, 20.2997, 21.5840, 22.7584,
                        0,       16.2587, 20.7614, 21.3939, 20.3338, 20.2018, 21.3673, 22.5943,
                        8.8072,  11.7310, 12.7514, 12.0032, 12.8772, 11.7833, 12.8078, 12.8379,
                        10.7412, 13.9847, 12.0032, 13.9773, 13.6535, 14.2870, 14.1174};
  REQUIRE(rows.size() == 31);
  for (size_t i = 0; i < rows.size(); ++i) {
    const double gm = geometric_mean(rows[i][0], rows[i][1], rows[i][2], GmOptions{}.t);
    CHECK(gm == Approx(rows[i][3]).margin(0.08));
    CHECK(gm == Approx(exact[i]).margin(5.1e-5));
  }
}

TEST_CASE("gm: of a row's scores, shares or percentages", "[evaluators]") {
  const auto gm = [](const Score& acc, const Score& sim, const Score& pp) {
    Inputs inputs;
    inputs.add("acc", InputScores{{"row"}, {"acc"}, {{acc}}});
    inputs.add("sim", InputScores{{"row"}, {"sim"}, {{sim}}});
    inputs.add("pp", InputScores{{"row"}, {"pp"}, {{pp}}});
    return GmEvaluator({}).evaluate(inputs).front();
  };
  const Score shares = gm(score_of(0.818), score_of(0.805), score_of(29));
  CHECK(shares.value == Approx(22.75840369).epsilon(1e-9));
  CHECK(shares.signature == "gm|t:63,71,97,-37|version:2|of:[],[],[]");
  CHECK_FALSE(shares.interval);
  CHECK(gm(score_of(81.8, "%"), score_of(0.805), score_of(29)).value == Approx(shares.value));
  CHECK(gm(sampled(0.9, 1), sampled(0.9, 2), sampled(30, 3)).interval);
  CHECK(shares.comparable);
  CHECK(shares.title.empty());
  Score local = score_of(0.805);
  local.comparable = false;
  const Score gm_local = gm(score_of(0.818), local, score_of(29));
  CHECK(gm_local.value == shares.value);
  CHECK_FALSE(gm_local.comparable);
  CHECK(gm_local.title == "GM-local");
}

TEST_CASE("kendall: coefficient, exact and approximate p", "[evaluators]") {
  const auto four = correlation_scores(kKendall, {}, scores_of({2.239, 2.360, 2.344, 2.279}),
                                       scores_of({15. / 4, 12. / 8, 8. / 8, 11. / 7}));
  CHECK(four.front().id == "tau");
  CHECK(four.front().value == Approx(-2. / 3));
  CHECK(four.front().signature == "kendall|n_rows:4|p:permutation|version:1");
  // Of 24 permutations, 1 has no inversion, 3 have one, and as many have all or all but one.
  CHECK(find(four, "p").value == Approx(8. / 24));
  CHECK(find(four, "n").value == 4);
  const auto many = correlation_scores(kKendall, {}, scores_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
                                       scores_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  CHECK(find(many, "p").signature == "kendall|n_rows:11|p:normal|version:1");
}
