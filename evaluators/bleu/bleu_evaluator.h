// BLEU of reconstructions against their inputs.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "evaluators/text_tokens.h"

namespace lvtext {

enum class BleuLevel { kCorpus, kSentence };
const std::vector<EnumName<BleuLevel>>& enum_names(BleuLevel);

struct BleuOptions {
  int64_t orders = 3;
  BleuLevel level = BleuLevel::kCorpus;
  MetricTokens tokens = MetricTokens::k13a;

  template <class V>
  void visit(V& v) {
    v.field("orders", orders, "longest n-gram", in_range(1, kMaxNgramOrder));
    v.field("level", level, "which of the two the table shows; both are reported");
    v.field("tokens", tokens, "what is counted");
  }
};

/// BLEU-N at both levels, in percent, no smoothing; "corpus" and "sentence", the table's first.
/// Throws DataError if the numbers of sentences differ.
std::vector<Score> bleu_scores(const BleuOptions& options, std::span<const TokenIds> hypotheses,
                               std::span<const TokenIds> references,
                               const std::function<std::string(std::span<const int32_t>)>& to_text,
                               const BootstrapOptions& bootstrap = {});

/// bleu_scores() of the test set's reconstructions.
class BleuEvaluator : public Evaluator {
 public:
  explicit BleuEvaluator(const BleuOptions& options) : options_(options) {}
  std::set<EvalNeed> needs() const override {
    return {EvalNeed::kTest, EvalNeed::kReconstructions};
  }
  std::vector<std::string> capabilities() const override { return {"encodes", "next_token"}; }
  static std::vector<std::string> score_ids() { return {"corpus", "sentence"}; }
  std::vector<Score> evaluate(const EvalInputs& inputs) const override;
  int revision() const override { return 1; }

 private:
  BleuOptions options_;
};

}  // namespace lvtext
