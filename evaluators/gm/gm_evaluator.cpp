#include "evaluators/gm/gm_evaluator.h"

#include <algorithm>
#include <cmath>

#include "evaluators/gm/gm_preferences_evaluator.h"
#include "evaluators/score_inputs.h"
#include "framework/core/base/strings.h"
#include "framework/core/model/registration.h"

namespace lvtext {

double geometric_mean(double acc, double sim, double pp, const std::vector<double>& t) {
  const double fluency = std::min(t[2] - pp, pp - t[3]);
  const double factors[] = {100 * acc - t[0], 100 * sim - t[1], fluency};
  double product = 1;
  for (const double factor : factors) product *= factor < 0 ? 0 : factor;
  return std::cbrt(product);
}

std::vector<InputDecl> GmEvaluator::inputs() const {
  return {{.name = "acc",
           .help = "share of outputs in the target style",
           .type = ArtifactType::kScores},
          {.name = "sim", .help = "similarity to the source, 0..1", .type = ArtifactType::kScores},
          {.name = "pp", .help = "perplexity of the output", .type = ArtifactType::kScores}};
}

std::vector<Score> GmEvaluator::evaluate(const Inputs& inputs) const {
  const std::vector<Score> from = {score_of_row(inputs, "acc"), score_of_row(inputs, "sim"),
                                   score_of_row(inputs, "pp")};
  std::vector<std::string> t;
  for (const double each : options_.t) t.push_back(format_number(each));
  const bool comparable =
      std::all_of(from.begin(), from.end(), [](const Score& score) { return score.comparable; });
  std::vector<Score> scores = {{.id = "gm",
                                .direction = Direction::kHigher,
                                .n = fewest_sentences(from),
                                .signature = "gm|t:" + join(t, ",") +
                                             "|version:" + std::to_string(GmEvaluator::kRevision) +
                                             signatures_of(from),
                                .title = comparable ? "" : "GM-local",
                                .comparable = comparable}};
  const double acc = from[0].unit == "%" ? 0.01 : 1;
  const double sim = from[1].unit == "%" ? 0.01 : 1;
  derive(scores, from, [&](std::span<const double> values) {
    return std::vector<double>{
        geometric_mean(acc * values[0], sim * values[1], values[2], options_.t)};
  });
  return scores;
}

void register_gm(Registries& registries) {
  add_evaluator<GmEvaluator, GmOptions>(
      registries, "gm", "Geometric mean of accuracy, similarity and fluency of transferred text",
      {"Pang and Gimpel 2019", "https://aclanthology.org/D19-5614"});
  add_evaluator<GmPreferencesEvaluator, GmOptions>(
      registries, "gm_preferences",
      "Agreement of GM with human preferences, and thresholds fitted to them",
      {"Pang and Gimpel 2019", "https://aclanthology.org/D19-5614"});
}

}  // namespace lvtext
