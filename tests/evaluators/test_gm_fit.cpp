// Fitting of GM's thresholds to preferences.
#include <cmath>
#include <random>
#include <vector>

#include "evaluators/gm/gm_evaluator.h"
#include "evaluators/gm/gm_fit.h"
#include "evaluators/gm/gm_preferences_evaluator.h"
#include "framework/core/base/error.h"
#include "framework/core/datasets/dataset_writer.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "tests/text.h"

using namespace lvtext;

namespace {

const GmThresholds kPaper = {63, 71, 97, -37};

double gm(const GmSentence& sentence, const GmThresholds& t) {
  return geometric_mean(sentence.acc, sentence.sim, sentence.pp, t);
}

/// Sentences around the thresholds `t`, ordered by their GM; the difference is at least 1, so that
/// the loss of `t` is 0.
std::vector<GmPreference> pairs_by(const GmThresholds& t, size_t count, uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto uniform = [&engine](double low, double high) {
    return low + (high - low) * static_cast<double>(engine() >> 11) / 9007199254740992.0;
  };
  std::vector<GmPreference> pairs;
  while (pairs.size() < count) {
    const auto draw = [&] {
      return GmSentence{uniform(t[0] / 100 - 0.05, 1), uniform(t[1] / 100 - 0.05, 1),
                        uniform(3, t[2] + 15)};
    };
    GmPreference pair{draw(), draw()};
    if (gm(pair.preferred, t) < gm(pair.other, t)) std::swap(pair.preferred, pair.other);
    if (gm(pair.preferred, t) - gm(pair.other, t) >= 1) pairs.push_back(pair);
  }
  return pairs;
}

Score sentence_score(const std::string& unit, std::vector<double> values) {
  return summarized({.id = "s", .unit = unit, .rows = {"mean", 1, std::move(values)}});
}

InputScores two(Score a, Score b) {
  return {{"row"}, {"of_a", "of_b"}, {{std::move(a)}, {std::move(b)}}};
}

/// Preferences for text 0 or 1, as a column of labels.
Dataset labels(const TemporaryFolder& folder, const std::vector<int32_t>& preferred) {
  ColumnDecl decl{.name = "preference", .kind = ColumnKind::kLabel, .classes = 2};
  DatasetWriter writer(folder / "labels.safetensors", {decl});
  for (const int32_t each : preferred) {
    writer.add_label(0, each);
    writer.end_row();
  }
  writer.finish();
  return Dataset(folder / "labels.safetensors");
}

}  // namespace

TEST_CASE("gm fit: loss and gradient of a pair", "[evaluators]") {
  const GmSentence a{1, 0.95, 12.3}, b{1, 0.80, 40};
  const GmLoss satisfied = gm_loss(std::vector<GmPreference>{{a, b}}, kPaper);
  CHECK(satisfied.value == 0);
  CHECK(satisfied.gradient == GmThresholds{0, 0, 0, 0});
  const std::vector<GmPreference> violated = {{b, a}};
  const GmLoss loss = gm_loss(violated, kPaper);
  CHECK(loss.value == Approx(9.5689976687).epsilon(1e-10));
  const std::vector<double> expected = {-0.077198, 0.498466, -0.155995, -0.238297};
  for (size_t i = 0; i < expected.size(); ++i) {
    CHECK(loss.gradient[i] == Approx(expected[i]).margin(5e-7));
    GmThresholds up = kPaper, down = kPaper;
    up[i] += 1e-5;
    down[i] -= 1e-5;
    const double slope = (gm_loss(violated, up).value - gm_loss(violated, down).value) / 2e-5;
    CHECK(loss.gradient[i] == Approx(slope).epsilon(1e-7));
  }
}

TEST_CASE("gm fit: sentences without GM have no gradient", "[evaluators]") {
  // A product with a zero factor is constant; at the boundary the cube root's slope is infinite.
  const GmSentence misclassified{0, 0.9, 20}, at_boundary{0.63 + 1e-12, 0.9, 20}, fine{1, 0.9, 20};
  for (const GmSentence& zero : {misclassified, at_boundary}) {
    const GmLoss loss = gm_loss(std::vector<GmPreference>{{zero, fine}}, kPaper);
    const GmLoss of_fine = gm_loss(std::vector<GmPreference>{{misclassified, fine}}, kPaper);
    CHECK(loss.gradient == of_fine.gradient);
    for (const double each : loss.gradient) CHECK(std::isfinite(each));
  }
}

TEST_CASE("gm fit: ties do not agree", "[evaluators]") {
  const GmSentence good{1, 0.95, 30}, bad{1, 0.8, 30}, none{0, 0.9, 30};
  const std::vector<GmPreference> pairs = {{good, bad}, {bad, good}, {none, none}, {good, good}};
  const GmAgreement agreement = gm_agreement(pairs, kPaper);
  CHECK(agreement.agreeing == 1);
  CHECK(agreement.ties == 2);
}

TEST_CASE("gm fit: thresholds that generated the preferences are recovered", "[evaluators]") {
  for (const GmThresholds& t : {kPaper, GmThresholds{40, 55, 150, -20}}) {
    const std::vector<GmPreference> pairs = pairs_by(t, 300, 7);
    REQUIRE(gm_loss(pairs, t).value == 0);
    const GmThresholds fitted = fit_gm(pairs);
    CAPTURE(fitted[0], fitted[1], fitted[2], fitted[3]);
    CHECK(gm_loss(pairs, fitted).value < 1);
    CHECK(gm_agreement(pairs, fitted).agreeing >= 297);
    CHECK(fitted[0] == Approx(t[0]).margin(2));
    CHECK(fitted[1] == Approx(t[1]).margin(2));
    CHECK(fitted[2] == Approx(t[2]).margin(4));
    CHECK(fitted[3] == Approx(t[3]).margin(8));
    CHECK(fit_gm(pairs) == fitted);
    // Pairs that were not used for the fit.
    const std::vector<GmPreference> others = pairs_by(t, 300, 8);
    CHECK(gm_agreement(others, fitted).agreeing >= 294);
  }
}

TEST_CASE("gm_preferences: agreement of the metrics of two texts", "[evaluators]") {
  const TemporaryFolder folder;
  Inputs inputs;
  inputs.add("acc", two(sentence_score("%", {100, 100, 0, 100}), sentence_score("", {1, 1, 0, 1})));
  inputs.add("sim",
             two(sentence_score("", {.95, .8, .9, .9}), sentence_score("", {.8, .9, .9, .8})));
  // Perplexities from sums over the tokens of each sentence.
  Score pp{.id = "perplexity", .rows = {"exp_ratio", 2, {}}};
  for (int i = 0; i < 4; ++i) {
    pp.rows.values.insert(pp.rows.values.end(), {5 * std::log(30.0), 5.0});
  }
  inputs.add("pp", two(pp, pp));
  inputs.add("preferred", labels(folder, {0, 1, 0, 1}));
  const auto pairs = gm_preferences(inputs);
  REQUIRE(pairs.size() == 4);
  CHECK(pairs[0].preferred.sim == 0.95);
  CHECK(pairs[0].preferred.acc == 1);
  CHECK(pairs[1].preferred.sim == 0.9);
  CHECK(pairs[1].other.sim == 0.8);
  CHECK(pairs[3].other.pp == Approx(30));
  const std::vector<Score> scores = GmPreferencesEvaluator({}).evaluate(inputs);
  CHECK(scores[0].id == "agreement");
  CHECK(scores[0].value == 50);  // the third is a tie, the last one is ordered differently
  CHECK(scores[0].n == 4);
  CHECK(scores[0].signature == "gm_preferences|t:63,71,97,-37|n_pairs:4|version:2");
  CHECK(find_score(scores, "ties")->value == 25);
  CHECK(scores.size() == GmPreferencesEvaluator::scores().size());

  // A pair without a perplexity is left out.
  Inputs undefined = inputs;
  undefined.add("acc", two(sentence_score("", {1, NAN, 0, 1}), sentence_score("", {1, 1, 0, 1})));
  CHECK(gm_preferences(undefined).size() == 3);

  Inputs one = inputs;
  one.add("sim", InputScores{{"row"}, {"sim"}, {{sentence_score("", {1, 1, 1, 1})}}});
  CHECK(contains(message_of([&] { gm_preferences(one); }), "sim must list the metrics of two"));
  one.add("sim", two(sentence_score("", {1, 1}), sentence_score("", {1, 1})));
  CHECK(contains(message_of([&] { gm_preferences(one); }),
                 "4 preferences, but a metric of sim has 2 sentences"));
  one.add("sim", two({.id = "corpus", .value = 1}, {.id = "corpus", .value = 1}));
  CHECK(contains(message_of([&] { gm_preferences(one); }),
                 "the metric 'of_a' has no value for each sentence"));
}
