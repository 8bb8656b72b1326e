// Diversity of a model's samples; low values indicate collapse.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "evaluators/limits.h"
#include "evaluators/metrics/ngram_stats.h"
#include "framework/core/options/options.h"

namespace lvtext {

struct DiversityOptions {
  int64_t samples = 10000;
  int64_t order = 2;

  template <class V>
  void visit(V& v) {
    v.field("samples", samples, "maximum number of sentences, from the first",
            in_range(1, kMostSamples));
    v.field("order", order, "n-gram order of distinct_n", in_range(1, kMaxNgramOrder));
  }
};

/// "distinct_n" (distinct n-grams of subword tokens), "unique" (distinct sentences) and
/// "train_overlap" (sentences of the training text, if given), all in percent, and "length" in
/// subword tokens. For text without token ids, words are counted instead. All except "distinct_n"
/// have intervals.
class DiversityEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 5;
  explicit DiversityEvaluator(const DiversityOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"distinct_n", "distinct n-grams per n-gram of the sentences, in %"},
            {"unique", "distinct sentences per sentence, in %"},
            {"train_overlap", "sentences that occur in the training text, in %"},
            {"length", "mean number of tokens per sentence (words for text without token ids)"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  DiversityOptions options_;
};

}  // namespace lvtext
