#include "evaluators/mean/mean_evaluator.h"

#include <algorithm>
#include <numeric>

#include "evaluators/score_inputs.h"
#include "framework/core/base/error.h"
#include "framework/core/model/registration.h"

namespace lvtext {

Score mean_score(const std::vector<Score>& scores) {
  if (scores.empty()) throw ConfigError("mean: there are no scores");
  const Score& first = scores.front();
  const auto all = [&](const auto& has) { return std::all_of(scores.begin(), scores.end(), has); };
  Score mean{
      .id = "mean",
      .reason = "one of the metrics is missing",
      .unit = all([&](const Score& each) { return each.unit == first.unit; }) ? first.unit : "",
      .direction = all([&](const Score& each) { return each.direction == first.direction; })
                       ? first.direction
                       : Direction::kNone,
      .n = fewest_sentences(scores),
      .signature =
          "mean|version:" + std::to_string(MeanEvaluator::kRevision) + signatures_of(scores)};
  derive({&mean, 1}, scores, [](std::span<const double> values) {
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return std::vector<double>{sum / static_cast<double>(values.size())};
  });
  return mean;
}

std::vector<InputDecl> MeanEvaluator::inputs() const {
  return {{.name = "scores",
           .help = "metrics whose mean is computed",
           .type = ArtifactType::kScores,
           .arity = InputDecl::Arity::kMany}};
}

std::vector<Score> MeanEvaluator::evaluate(const Inputs& inputs) const {
  std::vector<Score> scores;
  for (const auto& lines : inputs.scores("scores").scores) scores.push_back(lines.front());
  return {mean_score(scores)};
}

void register_mean(Registries& registries) {
  add_evaluator<MeanEvaluator, NoOptions>(registries, "mean", "Mean of several metrics of a row",
                                          {});
}

}  // namespace lvtext
