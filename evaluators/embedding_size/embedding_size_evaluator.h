// Width of sentence vectors.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// Computes "size": the number of values of an encoder's sentence vectors.
class EmbeddingSizeEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit EmbeddingSizeEvaluator(const NoOptions&) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"size", "number of values of a sentence vector"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;
};

}  // namespace lvtext
