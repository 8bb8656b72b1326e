// What all evaluators have in common. An evaluator declares its inputs; the run graph makes them.
#pragma once

#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/component.h"
#include "framework/core/model/inputs.h"
#include "framework/core/statistics/score.h"

namespace lvtext {

/// Inputs to scores. A class that derives from it has, besides what is below, `static constexpr int
/// kRevision`, raised whenever the same inputs give other numbers, and `static
/// std::vector<std::string> score_ids()`, all that it can give. One that combines the scores of
/// several rows has `static constexpr ScoresOf kScoresOf` too (framework/core/model/component.h).
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual std::vector<InputDecl> inputs() const = 0;
  /// Models are trained by inputs.train() alone. The first score is the one that a table shows.
  /// Some of score_ids() may be missing, for reasons that lie in the inputs.
  virtual std::vector<Score> evaluate(const Inputs& inputs) const = 0;
};

}  // namespace lvtext
