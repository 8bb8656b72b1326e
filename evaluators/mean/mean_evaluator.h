// Mean of several metrics.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// Computes "mean": the mean of several scores of a row; NaN if one of them is missing. It has an
/// interval if all scores have statistics per sentence, and the unit and direction that they share.
Score mean_score(const std::vector<Score>& scores);

class MeanEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit MeanEvaluator(const NoOptions&) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() { return {{"mean", "mean of the metrics"}}; }
  std::vector<Score> evaluate(const Inputs& inputs) const override;
};

}  // namespace lvtext
