// BLEU of a system's outputs against references.
#pragma once

#include <optional>
#include <vector>

#include "evaluators/evaluator.h"
#include "evaluators/text_tokens.h"

namespace lvtext {

enum class BleuLevel { kCorpus, kSentence };
const std::vector<EnumName<BleuLevel>>& enum_names(BleuLevel);

struct BleuOptions {
  int64_t max_order = 4;
  BleuLevel level = BleuLevel::kCorpus;
  MetricTokens tokenize = MetricTokens::k13a;
  std::optional<MetricTokens> reference_tokenize;
  std::optional<bool> lowercase;

  template <class V>
  void visit(V& v) {
    v.field("max_order", max_order, "maximum n-gram order", in_range(1, kMaxNgramOrder));
    v.field("level", level, "level that the table shows; both are reported");
    v.field("tokenize", tokenize, "tokenization that n-grams are counted on");
    v.field("reference_tokenize", reference_tokenize,
            "tokenization of the references, for outputs that are already tokenized; unset: as "
            "`tokenize`");
    v.field("lowercase", lowercase,
            "converts the letters A to Z of outputs and references to lower case (unset: no)");
    v.check(
        tokenize != MetricTokens::kSubword || (!reference_tokenize && !lowercase.value_or(false)),
        "reference_tokenize and lowercase cannot be combined with subword tokens");
    v.check(reference_tokenize != MetricTokens::kSubword, "reference_tokenize cannot be subword");
  }
};

/// Computes BLEU-N at both levels, "corpus" and "sentence", `options.level` first; in percent,
/// without smoothing. The count of an n-gram is clipped to its maximum count in a reference of the
/// sentence (Papineni et al. 2002). Throws DataError if the numbers of sentences differ.
std::vector<Score> bleu_scores(const BleuOptions& options, const Text& outputs,
                               const std::vector<Text>& references);

class BleuEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 2;
  explicit BleuEvaluator(const BleuOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"corpus", "BLEU, 0..100, of the n-gram counts of all sentences together"},
            {"sentence", "mean BLEU of single sentences, 0..100"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  BleuOptions options_;
};

}  // namespace lvtext
