#include "evaluators/gm/gm_preferences_evaluator.h"

#include <cmath>
#include <string>
#include <utility>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/statistics/sentence_values.h"

namespace lvtext {
namespace {

/// The values of a metric on each sentence of the two texts, [text][sentence].
std::vector<std::vector<double>> values_of(const Inputs& inputs, const std::string& input) {
  const InputScores& all = inputs.scores(input);
  if (all.scores.size() != 2) {
    throw ConfigError("gm_preferences: " + input + " must list the metrics of two texts, " + input +
                      ": [METRIC_OF_A, METRIC_OF_B]");
  }
  std::vector<std::vector<double>> values;
  for (size_t text = 0; text < all.scores.size(); ++text) {
    const Score& score = all.scores[text].front();
    values.push_back(sentence_values(score.rows));
    if (values.back().empty()) {
      throw ConfigError("gm_preferences: the metric '" + all.metrics[text] +
                        "' has no value for each sentence");
    }
    if (score.unit != "%") continue;
    for (double& value : values.back()) value /= 100;
  }
  return values;
}

/// False if a score is NaN, such as the perplexity without EOS of an empty output.
bool has_scores(const GmSentence& sentence) {
  return !std::isnan(sentence.acc) && !std::isnan(sentence.sim) && !std::isnan(sentence.pp);
}

}  // namespace

std::vector<GmPreference> gm_preferences(const Inputs& inputs) {
  const Dataset judged = inputs.dataset("preferred");
  const DatasetColumn& preferred = judged.columns().front();
  if (judged.columns().size() != 1 || preferred.decl().kind != ColumnKind::kLabel ||
      preferred.decl().classes != 2 || preferred.decl().ragged) {
    throw ConfigError(
        "gm_preferences: preferred must be one label column with two values, such as "
        "preferred: pairs.test.preference, not " +
        join(judged.names()));
  }
  const auto acc = values_of(inputs, "acc"), sim = values_of(inputs, "sim"),
             pp = values_of(inputs, "pp");
  const auto n = static_cast<size_t>(preferred.size());
  for (const auto& [input, metric] : {std::pair("acc", &acc), {"sim", &sim}, {"pp", &pp}}) {
    for (const auto& text : *metric) {
      if (text.size() == n) continue;
      throw DataError("gm_preferences: " + format_count(static_cast<int64_t>(n), "preference") +
                      ", but a metric of " + input + " has " +
                      format_count(static_cast<int64_t>(text.size()), "sentence"));
    }
  }
  std::vector<GmPreference> pairs;
  for (size_t i = 0; i < n; ++i) {
    const auto first = static_cast<size_t>(preferred.tokens(static_cast<int64_t>(i)).front());
    const auto sentence = [&](size_t text) {
      return GmSentence{acc[text][i], sim[text][i], pp[text][i]};
    };
    const GmPreference pair = {sentence(first), sentence(1 - first)};
    if (has_scores(pair.preferred) && has_scores(pair.other)) pairs.push_back(pair);
  }
  return pairs;
}

std::vector<InputDecl> GmPreferencesEvaluator::inputs() const {
  const auto metrics = [](const std::string& name, const std::string& help) {
    return InputDecl{.name = name,
                     .help = help + " of the two texts",
                     .type = ArtifactType::kScores,
                     .arity = InputDecl::Arity::kMany};
  };
  return {metrics("acc", "metrics with the accuracy"),
          metrics("sim", "metrics with the similarity to the source"),
          metrics("pp", "metrics with the perplexity"),
          {.name = "preferred",
           .help = "label column with two classes: 0 if raters prefer the first text of each list, "
                   "1 if the second",
           .type = ArtifactType::kDataset}};
}

std::vector<ScoreDecl> GmPreferencesEvaluator::scores() {
  return {{"agreement", "percentage of pairs in which the preferred text has the larger GM"},
          {"ties", "percentage of pairs with equal GM, which do not agree"},
          {"fitted_agreement", "agreement with the thresholds fitted to these pairs"},
          {"fitted_loss", "mean hinge loss of the fitted thresholds"},
          {"t1", "fitted minimum accuracy, %"},
          {"t2", "fitted minimum similarity, %"},
          {"t3", "fitted maximum perplexity"},
          {"t4", "fitted minimum perplexity"}};
}

std::vector<Score> GmPreferencesEvaluator::evaluate(const Inputs& inputs) const {
  const std::vector<GmPreference> pairs = gm_preferences(inputs);
  if (pairs.empty()) throw DataError("gm_preferences: there are no preferences");
  std::vector<std::string> t;
  for (const double each : options_.t) t.push_back(format_number(each));
  const std::string version =
      "|n_pairs:" + std::to_string(pairs.size()) + "|version:" + std::to_string(kRevision);
  const std::string given = "gm_preferences|t:" + join(t, ",") + version;
  const std::string fit = "gm_preferences|t:fitted" + version;
  const auto n = static_cast<int64_t>(pairs.size());
  std::vector<double> agrees, ties;
  for (const GmPreference& pair : pairs) {
    const GmAgreement one = gm_agreement({&pair, 1}, options_.t);
    agrees.push_back(100.0 * static_cast<double>(one.agreeing));
    ties.push_back(100.0 * static_cast<double>(one.ties));
  }
  const GmThresholds fitted = fit_gm(pairs);
  const auto of_fit = [&](const std::string& id, double value, const std::string& unit = "") {
    return Score{.id = id, .value = value, .unit = unit, .n = n, .signature = fit};
  };
  const double agreeing = static_cast<double>(gm_agreement(pairs, fitted).agreeing);
  std::vector<Score> scores = {
      summarized({.id = "agreement",
                  .unit = "%",
                  .direction = Direction::kHigher,
                  .signature = given,
                  .rows = {"mean", 1, agrees}}),
      summarized({.id = "ties", .unit = "%", .signature = given, .rows = {"mean", 1, ties}}),
      of_fit("fitted_agreement", 100 * agreeing / static_cast<double>(n), "%"),
      of_fit("fitted_loss", gm_loss(pairs, fitted).value / static_cast<double>(n))};
  for (size_t i = 0; i < fitted.size(); ++i) {
    scores.push_back(of_fit("t" + std::to_string(i + 1), fitted[i]));
  }
  return scores;
}

}  // namespace lvtext
