// Probing tasks of sentence vectors (Conneau et al. 2018).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluators/evaluator.h"
#include "evaluators/limits.h"
#include "evaluators/probe/probing_tasks.h"
#include "evaluators/senteval/probe_bank.h"
#include "framework/core/options/defaulted.h"
#include "framework/core/options/options.h"

namespace lvtext {

struct ProbeOptions {
  std::optional<ProbeKind> kind;
  std::optional<std::string> split;
  ProbeBuilding building;
  Defaulted<int64_t> hidden;
  std::vector<double> l2 = {1e-5, 1e-4, 1e-3, 1e-2};
  ProbeTraining training;
  int64_t together = 256;

  int64_t usual_hidden() const { return kind == ProbeKind::kWordContent ? 0 : 50; }

  template <class V>
  void visit(V& v) {
    v.field("kind", kind,
            "task that is built from the texts of the records (unset: the records have labels, and "
            "the splits train, valid and test)");
    v.field("split", split, "the split whose texts are used (unset: all)");
    constexpr int64_t kMax = 10000000;
    v.field("train", building.train, "number of training sentences", in_range(3, kMax));
    v.field("valid", building.valid, "number of validation sentences", in_range(2, kMax));
    v.field("test", building.test, "number of test sentences", in_range(2, kMax));
    v.field("words", building.words, "word_content: number of words", in_range(2, 100000));
    v.field("first_rank", building.first_rank,
            "word_content: rank of the most frequent one of the words", in_range(1, kMax));
    hidden.usual = usual_hidden();
    v.field("hidden", hidden,
            "units of the classifier's hidden layer; 0: logistic regression; unset: 0 for "
            "word_content, else 50",
            in_range(0, 65536));
    v.field("l2", l2, "weight decays of which one is selected", not_empty(), in_range(0, 1e3));
    training.visit_training(v);
    v.field("together", together, "number of sentences encoded together; does not affect the score",
            in_range(1, kMaxTogether));
    v.field("seed", training.seed, "seed of the task, of orders and of initial weights");
    v.check(!split || kind, "split requires kind");
  }
};

/// Trains a classifier of a property of a sentence on its vector, and scores it on other sentences:
/// how well the property can be read from vectors. The task is built from a text (built_task()) or
/// is that of published records (given_task()). Validation sentences select the weight decay and
/// the evaluation of the training.
class ProbeEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit ProbeEvaluator(const ProbeOptions& options) : options_(options) {}
  static std::vector<ScoreDecl> scores();
  std::vector<InputDecl> inputs() const override;
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  ProbingTask task(const SplitRecords& splits) const;

  ProbeOptions options_;
};

}  // namespace lvtext
