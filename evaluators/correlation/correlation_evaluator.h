// Correlation of two metrics over rows.
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
    v.field("leave_one_out", leave_one_out,
            "report the range of the coefficient when each row is left out in turn");
  }
};

enum class CorrelationType { kPearson, kSpearman, kKendall };

/// A correlation coefficient and the pairs that it is computed over.
struct CorrelationKind {
  std::string name;         ///< "spearman"
  std::string coefficient;  ///< "rho"
  CorrelationType type = CorrelationType::kPearson;
  int revision = 1;            ///< revision of the evaluator, for the signature
  std::string pairs = "rows";  ///< what the pairs are, for the signature
};

/// Computes the coefficient over the pairs x[i], y[i], then "p" (two-sided), "n" (the number of
/// pairs), and, if requested, "lowest" and "highest", its range with one pair left out. Pairs with
/// a NaN are ignored. p is exact, by all permutations, for up to kMaxPermuted pairs, and otherwise
/// by Student's t, for Kendall's coefficient by the normal distribution; the signature specifies
/// the method. The coefficient has an interval if all scores have statistics per sentence: each
/// resample computes it from the resamples of all scores. It is NaN, without p and range, for fewer
/// than three pairs (two pairs are always perfectly correlated) or if one side is constant. Throws
/// DataError if the sizes of x and y differ.
std::vector<Score> correlation_scores(const CorrelationKind& kind,
                                      const CorrelationOptions& options,
                                      const std::vector<Score>& x, const std::vector<Score>& y);

/// The scores of correlation_scores(), for a coefficient of this name.
std::vector<ScoreDecl> correlation_decls(const std::string& coefficient);

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
      : CorrelationEvaluator({"spearman", "rho", CorrelationType::kSpearman, kRevision}, options) {}
  static std::vector<ScoreDecl> scores() { return correlation_decls("rho"); }
};

class PearsonEvaluator : public CorrelationEvaluator {
 public:
  static constexpr int kRevision = 1;
  explicit PearsonEvaluator(const CorrelationOptions& options)
      : CorrelationEvaluator({"pearson", "r", CorrelationType::kPearson, kRevision}, options) {}
  static std::vector<ScoreDecl> scores() { return correlation_decls("r"); }
};

class KendallEvaluator : public CorrelationEvaluator {
 public:
  static constexpr int kRevision = 1;
  explicit KendallEvaluator(const CorrelationOptions& options)
      : CorrelationEvaluator({"kendall", "tau", CorrelationType::kKendall, kRevision}, options) {}
  static std::vector<ScoreDecl> scores() { return correlation_decls("tau"); }
};

}  // namespace lvtext
