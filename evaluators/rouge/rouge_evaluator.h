// ROUGE of reconstructions against their inputs.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "evaluators/text_tokens.h"

namespace lvtext {

enum class RougeVariant { k123F, k3F, k3Recall };
const std::vector<EnumName<RougeVariant>>& enum_names(RougeVariant);

struct RougeOptions {
  RougeVariant variant = RougeVariant::k123F;
  MetricTokens tokens = MetricTokens::k13a;

  template <class V>
  void visit(V& v) {
    v.field("variant", variant, "which the table shows; all are reported");
    v.field("tokens", tokens, "what is counted");
  }
};

/// All variants in percent, means over pairs, no stemming; the chosen one first. Throws DataError
/// if the numbers of sentences differ.
std::vector<Score> rouge_scores(const RougeOptions& options, std::span<const TokenIds> hypotheses,
                                std::span<const TokenIds> references,
                                const std::function<std::string(std::span<const int32_t>)>& to_text,
                                const BootstrapOptions& bootstrap = {});

/// rouge_scores() of the test set's reconstructions.
class RougeEvaluator : public Evaluator {
 public:
  explicit RougeEvaluator(const RougeOptions& options) : options_(options) {}
  std::set<EvalNeed> needs() const override {
    return {EvalNeed::kTest, EvalNeed::kReconstructions};
  }
  std::vector<std::string> capabilities() const override { return {"encodes", "next_token"}; }
  static std::vector<std::string> score_ids() { return {"rouge123_f", "rouge3_f", "rouge3_r"}; }
  std::vector<Score> evaluate(const EvalInputs& inputs) const override;
  int revision() const override { return 1; }

 private:
  RougeOptions options_;
};

}  // namespace lvtext
