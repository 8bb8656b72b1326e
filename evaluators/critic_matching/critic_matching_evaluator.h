// Whether critics of images and conditions notice a wrong condition.
#pragma once

#include <optional>
#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"

namespace lvtext {

struct CriticMatchingOptions {
  std::optional<int64_t> images;
  int64_t seed = 1111;

  template <class V>
  void visit(V& v) {
    v.field("images", images,
            "number of drawn images per row that are scored, from the first; unset: as many as "
            "every row has",
            at_least(1));
    v.field("seed", seed, "seed that draws the other condition of each image", at_least(0));
  }
};

/// Scores f(x, c) of images x under their own condition c and another one, which a critic that
/// ignores the condition cannot tell apart. Both pairs of an image are scored in one pass, so that
/// they share the statistics of batch normalization: equal pairs have equal scores.
/// "mismatch" is the mean over real images of f(x, c) - f(x, c'), c' the condition of the next
/// image. "retrieval" is the share of drawn images for which f(x, c) > f(x, c'), c' the condition
/// of a random other row; equal scores and equal conditions count half.
class CriticMatchingEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 2;
  explicit CriticMatchingEvaluator(const CriticMatchingOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"mismatch", "mean score of real images under their condition minus under the next"},
            {"retrieval",
             "share of drawn images that score higher under their own condition than "
             "under that of a random other row"},
            {"retrieval_real", "the same for real images"}};
  }
  /// Throws the exceptions of CriticInputs, ConfigError for critics without a condition, DataError
  /// for fewer than two rows.
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  CriticMatchingOptions options_;
};

}  // namespace lvtext
