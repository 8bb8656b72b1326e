#include "evaluators/ratio/ratio_evaluator.h"

#include <cmath>

#include "evaluators/score_inputs.h"
#include "framework/core/base/strings.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

/// "nats/words"; empty for a ratio of equal units.
std::string unit_of(const Score& x, const Score& y) {
  if (x.unit == y.unit) return "";
  return (x.unit.empty() ? "1" : x.unit) + (y.unit.empty() ? "" : "/" + y.unit);
}

/// Why there is no ratio to `y`; empty if there is one.
std::string unsupported_reason(const RatioOptions& options, const Score& y) {
  if (y.value == 0) return "the denominator is 0";
  if (options.relative && y.value < 0) return "the denominator is negative";
  if (!y.interval || y.interval->lo > 0 || y.interval->hi < 0) return "";
  return "the denominator " + significant(y.value, 4) + " is not different from 0: its 95 % " +
         "interval is " + significant(y.interval->lo, 4) + " to " + significant(y.interval->hi, 4);
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
              .reason = unsupported_reason(options, y),
              .unit = options.percent ? "%" : unit_of(x, y),
              .direction = options.better,
              .n = fewest_sentences({x, y}),
              .signature = std::string("ratio") + (options.relative ? "|relative:yes" : "") +
                           "|percent:" + (options.percent ? "yes" : "no") + "|x:" + x.id +
                           "|y:" + y.id + "|version:" + std::to_string(RatioEvaluator::kRevision) +
                           signatures_of({x, y})};
  if (!score.reason.empty()) {
    score.value = std::nan("");
    return score;
  }
  const double factor = options.percent ? 100 : 1, from = options.relative ? 1 : 0;
  derive({&score, 1}, std::vector<Score>{x, y}, [=](std::span<const double> values) {
    const bool is_defined = values[1] != 0;
    return std::vector<double>{is_defined ? factor * (values[0] / values[1] - from) : std::nan("")};
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
