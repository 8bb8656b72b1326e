// Reconstruction of sentences from their latent vectors.
#pragma once

#include <vector>

#include "evaluators/cross_entropy/cross_entropy_evaluator.h"
#include "evaluators/evaluator.h"
#include "evaluators/limits.h"
#include "framework/core/options/options.h"

namespace lvtext {

struct ReconstructionOptions {
  int64_t batch = 256;

  template <class V>
  void visit(V& v) {
    v.field("batch", batch, "number of sentences scored together; does not affect the score",
            in_range(1, kMaxTogether));
  }
};

/// Cross entropy scores of sentences given their own posterior means.
class ReconstructionEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = kCrossEntropyRevision;
  explicit ReconstructionEvaluator(const ReconstructionOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() { return cross_entropy_decls(); }
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  ReconstructionOptions options_;
};

}  // namespace lvtext
