// Perplexity of a system's outputs under a language model.
#pragma once

#include <string>
#include <vector>

#include "evaluators/cross_entropy/cross_entropy_evaluator.h"
#include "evaluators/evaluator.h"
#include "evaluators/limits.h"
#include "framework/core/options/options.h"

namespace lvtext {

struct PerplexityOptions {
  std::string label = "style";
  int64_t batch = 256;

  template <class V>
  void visit(V& v) {
    v.field("label", label, "column of `records` with the style of the source", not_empty());
    v.field("batch", batch, "number of sentences scored together; does not affect the score",
            in_range(1, kMostTogether));
  }
};

/// Perplexity of all outputs together under a given language model, on its tokens and EOS (PP of
/// Pang and Gimpel 2019), and the other cross entropy scores. "perplexity_without_eos" excludes the
/// NLL and the count of EOS; it is missing if the model is not a NextTokenModel. "perplexity_0" and
/// "perplexity_1" are of the outputs whose source has the first or second style; they require the
/// input "records".
class PerplexityEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 5;
  explicit PerplexityEvaluator(const PerplexityOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores();
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  PerplexityOptions options_;
};

}  // namespace lvtext
