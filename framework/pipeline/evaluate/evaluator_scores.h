// Scores of evaluators that are computed without a recipe.
#pragma once

#include <string>
#include <vector>

#include "framework/core/statistics/score.h"

namespace lvtext {

/// Scores of a run, or of outputs in files, by evaluator.
struct EvaluatorScores {
  struct Scored {
    std::string evaluator;
    std::vector<Score> scores;
    /// For outputs in files: "references", "source", or empty without a comparison.
    std::string against = {};
  };
  struct LeftOut {
    std::string evaluator;
    std::string reason;
  };
  std::vector<Scored> scored = {};
  std::vector<LeftOut> left_out = {};  ///< evaluators that cannot be computed for these inputs
  std::vector<LeftOut> failed = {};    ///< evaluators of a run that threw, with their messages
};

}  // namespace lvtext
