#include "evaluators/ratio/ratio_evaluator.h"

#include <cmath>

#include "evaluators/score_inputs.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

/// "nats/words"; empty for a ratio of equal units.
std::string unit_of(const Score& x, const Score& y) {
  if (x.unit == y.unit) return "";
  return (x.unit.empty() ? "1" : x.unit) + (y.unit.empty() ? "" : "/" + y.unit);
}

}  // namespace

const std::vector<EnumName<Direction>>& enum_names(Direction) {
  static const std::vector<EnumName<Direction>> names = {
      {"none", Direction::kNone, "neither higher nor lower is better"},
      {"higher", Direction::kHigher, "higher is better"},
      {"lower", Direction::kLower, "lower is better"}};
  return names;
}

Score ratio_score(const RatioOptions& options, const Score& x, const Score& y) {
  Score score{.id = "ratio",
              .reason = "the denominator is 0",
              .unit = options.percent ? "%" : unit_of(x, y),
              .direction = options.better,
              .n = fewest_sentences({x, y}),
              .signature = "ratio|percent:" + std::string(options.percent ? "yes" : "no") +
                           "|x:" + x.id + "|y:" + y.id + "|version:" +
                           std::to_string(RatioEvaluator::kRevision) + signatures_of({x, y})};
  const double factor = options.percent ? 100 : 1;
  derive({&score, 1}, std::vector<Score>{x, y}, [factor](std::span<const double> values) {
    const bool is_defined = values[1] != 0;
    return std::vector<double>{is_defined ? factor * values[0] / values[1] : std::nan("")};
  });
  return score;
}

std::vector<InputDecl> RatioEvaluator::inputs() const {
  return {{.name = "x", .help = "numerator", .type = ArtifactType::kScores},
          {.name = "y", .help = "denominator", .type = ArtifactType::kScores}};
}

std::vector<Score> RatioEvaluator::evaluate(const Inputs& inputs) const {
  return {ratio_score(options_, score_of_row(inputs, "x"), score_of_row(inputs, "y"))};
}

void register_ratio(Registries& registries) {
  add_evaluator<RatioEvaluator, RatioOptions>(registries, "ratio", "Ratio of two metrics of a row",
                                              {});
}

}  // namespace lvtext
