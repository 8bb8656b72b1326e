// How well sentences come back from their codes.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "framework/decoding/decoder.h"
#include "framework/options/options.h"

namespace lvtext {

struct ReconstructionOptions {
  int64_t batch = 256;

  template <class V>
  void visit(V& v) {
    v.field("batch", batch, "sentences scored together; no effect on the score", at_least(1));
  }
};

/// Posterior means, [N, Z] on the CPU, in the order of `sentences`.
at::Tensor posterior_means(Encodes& model, std::span<const TokenIds> sentences, int64_t batch);

/// Each sentence decoded greedily from its posterior mean.
Decoded reconstruct(Encodes& encoder, NextToken& decoder, std::span<const TokenIds> sentences,
                    int64_t max_length, int64_t batch);

/// NLL of each sentence given its posterior mean, in nats, end mark included: no noise, no dropout.
std::vector<double> reconstruction_nats(Encodes& encoder, ScoresText& decoder,
                                        std::span<const TokenIds> sentences, int64_t batch);

/// Cross entropy scores of the test set given its own posterior means.
class ReconstructionEvaluator : public Evaluator {
 public:
  explicit ReconstructionEvaluator(const ReconstructionOptions& options) : options_(options) {}
  std::set<EvalNeed> needs() const override { return {EvalNeed::kModel, EvalNeed::kTest}; }
  std::vector<std::string> capabilities() const override { return {"encodes", "scores_text"}; }
  std::vector<Score> evaluate(const EvalInputs& inputs) const override;
  int revision() const override { return 1; }

 private:
  ReconstructionOptions options_;
};

}  // namespace lvtext
