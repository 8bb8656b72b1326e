// Statistics of latent vectors: active units, norm, KL.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "evaluators/limits.h"
#include "framework/core/options/options.h"

namespace lvtext {

struct LatentStatisticsOptions {
  int64_t batch = 256;
  double threshold = 0.01;

  template <class V>
  void visit(V& v) {
    v.field("batch", batch, "sentences encoded together; no effect on the score",
            in_range(1, kMostTogether));
    v.field("threshold", threshold, "variance above which a unit is active", at_least(0));
  }
};

/// Units of `means` [N, Z] whose variance over sentences (n - 1) is above `threshold` (Burda,
/// Grosse and Salakhutdinov 2016). 0 for fewer than two sentences.
int64_t active_units(const at::Tensor& means, double threshold);

/// "active_units" of the test set's posterior means, their "radius" (mean Euclidean norm), and "kl"
/// in nats/sentence where the posterior has a density.
class LatentStatisticsEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit LatentStatisticsEvaluator(const LatentStatisticsOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<std::string> score_ids() { return {"active_units", "radius", "kl"}; }
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  LatentStatisticsOptions options_;
};

}  // namespace lvtext
