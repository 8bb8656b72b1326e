// Diversity of a model's samples; low values indicate collapse.
#pragma once

#include <optional>
#include <vector>

#include "evaluators/evaluator.h"
#include "evaluators/limits.h"
#include "evaluators/metrics/diversity.h"
#include "evaluators/metrics/ngram_stats.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// Units of n-grams.
enum class DiversityUnit { kSubword, kWord, kWhitespace, kCharacter };
const std::vector<EnumName<DiversityUnit>>& enum_names(DiversityUnit);
const std::vector<EnumName<DistinctOver>>& enum_names(DistinctOver);

/// Texts among which n-grams are distinct.
enum class DistinctPool { kCorpus, kText };
const std::vector<EnumName<DistinctPool>>& enum_names(DistinctPool);

/// Published definitions of distinct-n: defaults of `unit`, `denominator` and `pool`.
enum class DistinctDefinition { kCorpus, kSequence, kCharacterReference };
const std::vector<EnumName<DistinctDefinition>>& enum_names(DistinctDefinition);

/// The optional options are not part of identities if they are unset.
struct DiversityOptions {
  int64_t samples = 10000;
  int64_t order = 2;
  std::optional<DistinctDefinition> definition;
  std::optional<DiversityUnit> unit;
  std::optional<DistinctOver> over;
  std::optional<DistinctPool> pool;

  template <class V>
  void visit(V& v) {
    v.field("samples", samples, "maximum number of sentences, from the first",
            in_range(1, kMaxSamples));
    v.field("order", order, "n-gram order of distinct_n", in_range(1, kMaxNgramOrder));
    v.field("definition", definition,
            "published definition of distinct_n, which sets `unit`, `denominator` and `pool`");
    v.field("unit", unit, "what n-grams and length are counted in (unset: subword)");
    v.field("denominator", over, "what the distinct n-grams are divided by (unset: ngrams)");
    v.field("pool", pool, "texts among which n-grams are distinct (unset: corpus)");
  }
};

/// "distinct_n" (distinct n-grams of subword tokens), "unique" (distinct sentences) and
/// "train_overlap" (sentences of the training text, if given), all in percent, "length" in
/// subword tokens and, if one of the optional options is set, "types" (distinct units). For text
/// without token ids, words are counted instead of subword tokens. All except "types" and
/// "distinct_n" of a whole corpus have intervals.
class DiversityEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 5;
  explicit DiversityEvaluator(const DiversityOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {
        {"distinct_n", "distinct n-grams per n-gram of the sentences, in %"},
        {"unique", "distinct sentences per sentence, in %"},
        {"train_overlap", "sentences that occur in the training text, in %"},
        {"length", "mean number of tokens per sentence (words for text without token ids)"},
        {"types",
         "distinct units of all sentences; with `definition`, `unit`, `denominator` or `pool`"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  DiversityOptions options_;
};

}  // namespace lvtext
