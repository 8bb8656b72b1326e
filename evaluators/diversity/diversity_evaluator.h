// How varied a model's samples are; low values show collapsed models.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "evaluators/limits.h"
#include "framework/options/options.h"

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

/// "distinct" (n-grams of subword tokens), "unique" (texts) and "copied" (texts that stand in
/// `train`), all in percent, and "length" in subword tokens.
class DiversityEvaluator : public Evaluator {
 public:
  explicit DiversityEvaluator(const DiversityOptions& options) : options_(options) {}
  std::set<EvalNeed> needs() const override { return {EvalNeed::kSamples, EvalNeed::kTrain}; }
  std::vector<std::string> capabilities() const override { return {"next_token"}; }
  static std::vector<std::string> score_ids() { return {"distinct", "unique", "copied", "length"}; }
  int64_t samples() const override { return options_.samples; }
  std::vector<Score> evaluate(const EvalInputs& inputs) const override;
  int revision() const override { return 2; }

 private:
  DiversityOptions options_;
};

}  // namespace lvtext
