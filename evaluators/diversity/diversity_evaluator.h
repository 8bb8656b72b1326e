// How varied a model's samples are; low values show collapsed models.
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
    v.field("samples", samples, "sentences drawn from the model", in_range(1, kMostSamples));
    v.field("order", order, "n of the distinct n-grams that the table shows",
            in_range(1, kMaxNgramOrder));
  }
};

/// "distinct_n" (n-grams of subword tokens), "unique" (texts) and "train_overlap" (texts of the
/// training text, where it is given), all in percent, and "length" in subword tokens. Of text alone
/// words are counted.
class DiversityEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 3;
  explicit DiversityEvaluator(const DiversityOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<std::string> score_ids() {
    return {"distinct_n", "unique", "train_overlap", "length"};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  DiversityOptions options_;
};

}  // namespace lvtext
