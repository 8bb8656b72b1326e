// Base class of evaluators. An evaluator declares its inputs; the run graph computes them.
#pragma once

#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/component.h"
#include "framework/core/model/inputs.h"
#include "framework/core/statistics/score.h"

namespace lvtext {

/// Computes scores from inputs. A derived class must also have `static constexpr int kRevision`,
/// which is increased whenever the results for the same inputs change, and `static
/// std::vector<ScoreDecl> scores()`, all scores that it can return. A class that
/// combines the scores of several rows must also have `static constexpr ScoresOf kScoresOf`
/// (framework/core/model/component.h).
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// The inputs that evaluate() reads, a function of the options alone. Called before any input
  /// exists; a cell whose required inputs cannot be filled stays empty, with the reason.
  virtual std::vector<InputDecl> inputs() const = 0;
  /// Computes the scores. Models must be trained only by inputs.train(). The table shows the first
  /// score. Scores that are undefined for the inputs may be missing.
  virtual std::vector<Score> evaluate(const Inputs& inputs) const = 0;
};

}  // namespace lvtext
