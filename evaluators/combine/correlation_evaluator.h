// How two metrics agree over rows.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"
#include "framework/core/statistics/correlation.h"

namespace lvtext {

struct CorrelationOptions {
  bool leave_one_out = true;

  template <class V>
  void visit(V& v) {
    v.field("leave_one_out", leave_one_out, "also the range of the coefficient without each row");
  }
};

/// How a correlation is called, what its coefficient is, and whether it is of ranks.
struct CorrelationKind {
  std::string name;         ///< "spearman"
  std::string coefficient;  ///< "rho"
  bool of_ranks = false;
};

/// The coefficient over the pairs x[i], y[i], then "p" (two-sided), "n" (the number of pairs), and,
/// where they are asked for, "lowest" and "highest" without one of the pairs. Pairs of which one
/// value is NaN are left out. p is exact, by all permutations, for up to kMostPermuted pairs, above
/// by Student's t; the signature says which. With an interval where all scores have statistics per
/// sentence: each resample computes the coefficient from the resamples of all of them. NaN
/// without p and range for fewer than three pairs (two correlate perfectly, whatever they are) or a
/// constant side. Throws DataError for x and y of different sizes.
std::vector<Score> correlation_scores(const CorrelationKind& kind,
                                      const CorrelationOptions& options,
                                      const std::vector<Score>& x, const std::vector<Score>& y);

class CorrelationEvaluator : public Evaluator {
 public:
  static constexpr ScoresOf kScoresOf = ScoresOf::kRows;
  std::vector<InputDecl> inputs() const override;
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 protected:
  CorrelationEvaluator(CorrelationKind kind, const CorrelationOptions& options)
      : kind_(std::move(kind)), options_(options) {}

 private:
  CorrelationKind kind_;
  CorrelationOptions options_;
};

class SpearmanEvaluator : public CorrelationEvaluator {
 public:
  static constexpr int kRevision = 1;
  explicit SpearmanEvaluator(const CorrelationOptions& options)
      : CorrelationEvaluator({"spearman", "rho", true}, options) {}
  static std::vector<std::string> score_ids() { return {"rho", "p", "n", "lowest", "highest"}; }
};

class PearsonEvaluator : public CorrelationEvaluator {
 public:
  static constexpr int kRevision = 1;
  explicit PearsonEvaluator(const CorrelationOptions& options)
      : CorrelationEvaluator({"pearson", "r", false}, options) {}
  static std::vector<std::string> score_ids() { return {"r", "p", "n", "lowest", "highest"}; }
};

}  // namespace lvtext
