// Distance of drawn from real images under critics.
#pragma once

#include <optional>
#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"

namespace lvtext {

struct CriticDistanceOptions {
  std::optional<int64_t> images;

  template <class V>
  void visit(V& v) {
    v.field("images", images,
            "number of drawn images per row that are scored, from the first; unset: as many as "
            "every row has",
            at_least(1));
  }
};

/// W = mean f(real) - mean f(drawn), a lower bound of the Wasserstein distance up to the scale of
/// the critics f (Arjovsky, Chintala and Bottou 2017; Spinks and Moens 2018, equations 2 and 6).
/// The value of a row is the mean over the critics of f(real image) minus the mean f of its drawn
/// images. A critic that uses more than 0.85 of its bound (ImageScorer::largest_distance) is
/// saturated: its distances are compressed.
class CriticDistanceEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit CriticDistanceEvaluator(const CriticDistanceOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"distance", "mean score of real minus that of drawn images, mean over the critics"},
            {"critics_sd", "standard deviation of the distance over the critics"},
            {"bound_share", "distance as a share of the largest one possible"},
            {"saturated", "share of critics above 0.85 of the largest possible distance"},
            {"steps", "mean number of training steps of the critics"}};
  }
  /// Throws the exceptions of CriticInputs.
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  CriticDistanceOptions options_;
};

}  // namespace lvtext
