// ROUGE of a system's outputs against references.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "evaluators/text_tokens.h"

namespace lvtext {

enum class RougeVariant { k123F, k3F, k3Recall };
const std::vector<EnumName<RougeVariant>>& enum_names(RougeVariant);

struct RougeOptions {
  RougeVariant variant = RougeVariant::k123F;
  MetricTokens tokenize = MetricTokens::k13a;

  template <class V>
  void visit(V& v) {
    v.field("variant", variant, "variant that the table shows; all are reported");
    v.field("tokenize", tokenize, "tokenization that n-grams are counted on");
  }
};

/// Computes all variants in percent, as means over pairs, without stemming; `options.variant`
/// first. Throws DataError if the numbers of sentences differ.
std::vector<Score> rouge_scores(const RougeOptions& options, const Text& outputs,
                                const Text& references);

class RougeEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 2;
  explicit RougeEvaluator(const RougeOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"rouge123_f",
             "mean F1 of the 1-, 2- and 3-grams shared with the reference, in %; a reference of "
             "fewer than N tokens has no N-grams: 100 if the output equals it, otherwise 0"},
            {"rouge3_f",
             "F1 of the 3-grams shared with the reference, in %; with a reference of fewer than 3 "
             "tokens: 100 if the output equals it, otherwise 0"},
            {"rouge3_r",
             "share of the reference's 3-grams that the output contains, in %; with a reference of "
             "fewer than 3 tokens: 100 if the output equals it, otherwise 0"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  RougeOptions options_;
};

}  // namespace lvtext
