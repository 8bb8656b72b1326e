// Geometric mean of style accuracy, similarity and fluency of transferred text.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"

namespace lvtext {

struct GmOptions {
  std::vector<double> t = {63, 71, 97, -37};

  template <class V>
  void visit(V& v) {
    v.field("t", t,
            "thresholds: minimum accuracy and similarity, in %, maximum and minimum perplexity");
    v.check(t.size() == 4, "t must be four numbers, such as [63, 71, 97, -37]");
  }
};

/// ([100 acc - t1]+ [100 sim - t2]+ min([t3 - pp]+, [pp - t4]+))^(1/3), with accuracy and
/// similarity as shares and the four thresholds `t` (Pang and Gimpel 2019, section 3.3). 0 if a
/// factor is 0.
double geometric_mean(double acc, double sim, double pp, const std::vector<double>& t);

/// "gm" of a row's accuracy, similarity and perplexity; the first two are shares or, if their unit
/// is %, percentages. It has an interval if all three scores have statistics per sentence. Its
/// title is "GM-local" if one of them is not comparable with published values, because neither is
/// it.
class GmEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 2;
  explicit GmEvaluator(const GmOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"gm", "geometric mean of the three margins; 0 if one is not positive"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  GmOptions options_;
};

}  // namespace lvtext
