// Agreement of GM with human preferences between two transferred sentences.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "evaluators/gm/gm_evaluator.h"
#include "evaluators/gm/gm_fit.h"

namespace lvtext {

/// The pairs of `inputs`, with the scores of each sentence, without pairs in which a score is NaN.
/// Throws ConfigError if an input does not have the metrics of two texts or `preferred` is not one
/// label column of two classes, or DataError if the inputs differ in their number of sentences.
std::vector<GmPreference> gm_preferences(const Inputs& inputs);

/// "agreement": percentage of pairs in which the preferred sentence has the larger GM with the
/// thresholds of the options; "ties": percentage of pairs with equal GM, which do not agree;
/// "fitted_agreement", "fitted_loss" and "t1" to "t4": agreement, mean hinge loss and thresholds of
/// fit_gm() on the same pairs.
class GmPreferencesEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 2;
  explicit GmPreferencesEvaluator(const GmOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores();
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  GmOptions options_;
};

}  // namespace lvtext
