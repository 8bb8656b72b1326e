// BLEU of a system's outputs against references.
#pragma once

#include <optional>
#include <vector>

#include "evaluators/evaluator.h"
#include "evaluators/text_tokens.h"

namespace lvtext {

enum class BleuLevel { kCorpus, kSentence, kDocument, kFused };
const std::vector<EnumName<BleuLevel>>& enum_names(BleuLevel);

enum class BleuSmoothing { kNone, kAddOne };
const std::vector<EnumName<BleuSmoothing>>& enum_names(BleuSmoothing);

struct BleuOptions {
  int64_t max_order = 4;
  BleuLevel level = BleuLevel::kCorpus;
  MetricTokens tokenize = MetricTokens::k13a;
  std::optional<MetricTokens> reference_tokenize;
  std::optional<bool> lowercase;
  std::optional<BleuSmoothing> smooth;

  template <class V>
  void visit(V& v) {
    v.field("max_order", max_order, "maximum n-gram order", in_range(1, kMaxNgramOrder));
    v.field("level", level, "level that the table shows; corpus and sentence are always reported");
    v.field("tokenize", tokenize, "tokenization that n-grams are counted on");
    v.field("reference_tokenize", reference_tokenize,
            "tokenization of the references, for outputs that are already tokenized; unset: as "
            "`tokenize`");
    v.field("lowercase", lowercase,
            "converts the letters A to Z of outputs and references to lower case (unset: no)");
    v.field("smooth", smooth, "smoothing of sentence BLEU (unset: none)");
    v.check(level != BleuLevel::kFused || tokenize != MetricTokens::kSubword,
            "the level fused joins lines of text, not subword tokens");
    v.check(
        tokenize != MetricTokens::kSubword || (!reference_tokenize && !lowercase.value_or(false)),
        "reference_tokenize and lowercase cannot be combined with subword tokens");
    v.check(reference_tokenize != MetricTokens::kSubword, "reference_tokenize cannot be subword");
  }
};

/// Computes BLEU-N, `options.level` first, in percent: "corpus", without smoothing, and "sentence";
/// with these levels also "document", of all sentences as one, and "fused", the same of lines that
/// are joined without a blank, so that the last word of a line and the first of the next are one
/// (https://github.com/maruker/vec2sent, eval_bleu.py: multi-bleu.perl on files without line
/// ends). The count of an n-gram is clipped to its maximum count in a reference of the
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
            {"sentence", "mean BLEU of single sentences, 0..100"},
            {"document", "BLEU, 0..100, of all sentences as one"},
            {"fused",
             "BLEU, 0..100, of all lines joined without a blank, as in the code of "
             "Kerscher and Eger 2020"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  BleuOptions options_;
};

}  // namespace lvtext
