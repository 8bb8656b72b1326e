// Statistics of latent vectors, to detect unused latent variables.
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
    v.field("batch", batch, "number of sentences encoded together; does not affect the score",
            in_range(1, kMaxTogether));
    v.field("threshold", threshold, "variance above which a unit is active", at_least(0));
  }
};

/// Number of units of `means` [N, Z] whose unbiased variance over sentences is above `threshold`
/// (Burda, Grosse and Salakhutdinov 2016). 0 for fewer than two sentences.
int64_t active_units(const at::Tensor& means, double threshold);

/// "active_units" of the test set's posterior means, their "radius" (mean Euclidean norm), and "kl"
/// in nats/sentence if the posterior has a density.
class LatentStatisticsEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit LatentStatisticsEvaluator(const LatentStatisticsOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"active_units", "number of latent dimensions that vary over the sentences"},
            {"radius", "mean Euclidean norm of the latent vectors"},
            {"kl", "mean KL divergence of the posterior from the prior, in nats per sentence"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  LatentStatisticsOptions options_;
};

}  // namespace lvtext
