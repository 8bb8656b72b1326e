// Accuracy of a text classifier.
#pragma once

#include <vector>

#include "evaluators/accuracy.h"
#include "evaluators/evaluator.h"

namespace lvtext {

/// Share of labeled texts to which a classifier assigns their label, for checks of the classifiers
/// that score other models.
class ClassifierAccuracyEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit ClassifierAccuracyEvaluator(const AccuracyOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"accuracy", "share of texts to which the classifier assigns their label, 0..1"},
            {"accuracy_0", "the same for texts of the first class"},
            {"accuracy_1", "the same for texts of the second class"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  AccuracyOptions options_;
};

}  // namespace lvtext
