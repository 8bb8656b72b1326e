// Accuracy of a dialogue model's choice between a reply and a wrong one.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "evaluators/limits.h"
#include "framework/core/options/options.h"

namespace lvtext {

struct ReplyChoiceOptions {
  int64_t batch = 64;

  template <class V>
  void visit(V& v) {
    v.field("batch", batch, "number of replies scored together; does not affect the score",
            in_range(1, kMaxTogether));
  }
};

/// "accuracy": the share of contexts after which the model scores the reply higher than the
/// distractor (ReplyScorer); equal scores count as half right.
class ReplyChoiceEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit ReplyChoiceEvaluator(const ReplyChoiceOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"accuracy",
             "share of contexts after which the model chooses the reply, not the "
             "distractor; equal scores count as half"}};
  }
  /// Throws ConfigError if the model does not choose among replies.
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  ReplyChoiceOptions options_;
};

}  // namespace lvtext
