// Correlation of a metric's values on sentences with ratings of these sentences.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// Spearman's correlation of sentence_values() of `score` with `ratings`, "rho", with its two-sided
/// "p" and "n", the number of sentences. Values of scores for which lower is better are negated, so
/// that a positive correlation is agreement. Sentences without a value are ignored. rho has a
/// bootstrap interval over sentences, unless it is undefined in a resample. Throws ConfigError if
/// `score` has no value for each sentence, DataError if the numbers of sentences differ.
std::vector<Score> rating_correlation(const Score& score, const std::vector<double>& ratings);

class RatingCorrelationEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 2;
  explicit RatingCorrelationEvaluator(const NoOptions& /*options*/) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores();
  std::vector<Score> evaluate(const Inputs& inputs) const override;
};

}  // namespace lvtext
