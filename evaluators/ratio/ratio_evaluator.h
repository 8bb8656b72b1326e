// Ratio of two metrics.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"

namespace lvtext {

const std::vector<EnumName<Direction>>& enum_names(Direction);

struct RatioOptions {
  bool relative = false;
  bool percent = false;
  Direction better = Direction::kNone;

  template <class V>
  void visit(V& v) {
    v.field("relative", relative, "report x / y - 1, the relative difference of x from y");
    v.field("percent", percent, "report 100 times the value with the unit %");
    v.field("better", better, "direction in which the ratio improves");
  }
};

/// Computes "ratio": x / y, or x / y - 1. It is NaN if y is 0 or its interval contains 0, and, for
/// the relative difference, if y is negative. It has an interval if both scores have statistics per
/// sentence.
Score ratio_score(const RatioOptions& options, const Score& x, const Score& y);

class RatioEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 3;
  explicit RatioEvaluator(const RatioOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"ratio", "x / y, or x / y - 1 with `relative`"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  RatioOptions options_;
};

}  // namespace lvtext
