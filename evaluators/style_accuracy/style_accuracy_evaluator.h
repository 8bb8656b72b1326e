// Share of transferred texts that have their target style.
#pragma once

#include <optional>
#include <vector>

#include "evaluators/accuracy.h"
#include "evaluators/evaluator.h"

namespace lvtext {

struct StyleAccuracyOptions : AccuracyOptions {
  std::optional<int64_t> target;

  template <class V>
  void visit(V& v) {
    AccuracyOptions::visit(v);
    v.field("target", target,
            "index of the class that all outputs should have; unset: of two classes, the one that "
            "the source does not have",
            at_least(0));
  }
};

/// Share of outputs to which a classifier assigns their target style (Acc of Pang and Gimpel 2019,
/// section 5.1). The label column of the outputs has the style of their sources. Empty outputs are
/// classified like all others; "empty" is their share. Throws ConfigError if `target` is unset and
/// the classifier does not have two classes, or if it has no such class.
class StyleAccuracyEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 2;
  explicit StyleAccuracyEvaluator(const StyleAccuracyOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {
        {"accuracy", "share of outputs that the classifier assigns to their target style, 0..1"},
        {"accuracy_0", "the same for outputs whose source has the first class"},
        {"accuracy_1", "the same for outputs whose source has the second class"},
        {"probability", "mean probability of the target style, 0..1"},
        {"empty", "share of outputs without tokens, 0..1"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  StyleAccuracyOptions options_;
};

}  // namespace lvtext
