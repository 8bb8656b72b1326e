// Whether critics of chest radiographs notice a wrong condition, by kind of finding.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// For each kind of finding, the share of real images that score higher under their own condition
/// than under that of another image whose attributes differ in this kind alone: the next such one,
/// if there is any. Equal scores and equal conditions count half, which is chance. All conditions
/// of an image are scored in one pass, so that they share the statistics of batch normalization.
/// Critics are independent ones or the discriminators of generators, which are trained on batches
/// of right pairs and batches of wrong ones: here wrong pairs are single.
class SynthcxrMatchingEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 2;
  explicit SynthcxrMatchingEvaluator(const NoOptions&) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores();
  /// Throws the exceptions of CriticInputs and chest_attributes(), ConfigError for critics without
  /// a condition.
  std::vector<Score> evaluate(const Inputs& inputs) const override;
};

}  // namespace lvtext
