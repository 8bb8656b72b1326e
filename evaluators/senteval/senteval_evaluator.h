// Tasks for sentence vectors with the protocols of SentEval (Conneau and Kiela 2018).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluators/evaluator.h"
#include "evaluators/limits.h"
#include "evaluators/senteval/probe_bank.h"
#include "framework/core/options/options.h"

namespace lvtext {

enum class Similarity { kClasses, kCosine };
const std::vector<EnumName<Similarity>>& enum_names(Similarity);

struct SentevalOptions {
  int64_t folds = 10;
  std::vector<double> l2 = {1e-5, 1e-4, 1e-3, 1e-2};
  ProbeTraining training;
  std::optional<Similarity> similarity;
  bool zero_class = false;
  int64_t together = 256;

  template <class V>
  void visit(V& v) {
    v.field("folds", folds, "number of folds where a task has no fixed splits", in_range(2, 100));
    v.field("l2", l2, "weight decays of which one is selected", not_empty(), in_range(0, 1e3));
    training.visit_training(v);
    v.field("similarity", similarity,
            "how scores of pairs are predicted (unset: classes, if the task has training, "
            "validation and test pairs; else cosine)");
    v.field(
        "zero_class", zero_class,
        "similarity by classes 0 to 5 instead of SentEval's 1 to 5, which lose a part of scores "
        "below 1");
    v.field("together", together, "number of sentences encoded together; does not affect the score",
            in_range(1, kMaxTogether));
    v.field("seed", training.seed, "seed of folds, orders and initial weights");
  }
};

/// Encodes the sentences of a task and classifies them with logistic regression, or compares pairs
/// u, v. The records decide the task: with a label, classification of u or of [|u - v|, u * v];
/// with the text field `score`, relatedness. The splits decide the protocol: training records alone
/// are divided into nested folds; with test records, folds of the training records select the
/// weight decay; with validation records, these do. An empty sentence is read as ".". Vectors are
/// used as they are.
class SentevalEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 2;
  explicit SentevalEvaluator(const SentevalOptions& options) : options_(options) {}
  static std::vector<ScoreDecl> scores();
  std::vector<InputDecl> inputs() const override;
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  SentevalOptions options_;
};

}  // namespace lvtext
