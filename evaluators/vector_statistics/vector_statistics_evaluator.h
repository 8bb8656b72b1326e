// Size, spread and angles of vectors of texts.
#pragma once

#include <string>
#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"

namespace lvtext {

struct VectorStatisticsOptions {
  std::string column = "embedding";
  std::string texts = "captions";

  template <class V>
  void visit(V& v) {
    v.field("column", column, "column of vectors", not_empty());
    v.field("texts", texts, "column of texts in the input `texts`", not_empty());
  }
};

/// What a column of vectors is like before it is scaled, and whether it contains the order of
/// words: texts of a row with the same words in another order have the cosine 1 in a representation
/// without order. Words are between white space. Computed in double precision; the cosine with a
/// vector of length 0 is 0. Variances have the denominator N.
class VectorStatisticsEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit VectorStatisticsEvaluator(const VectorStatisticsOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"norm", "mean Euclidean norm of the vectors"},
            {"norm_sd", "standard deviation of the norms"},
            {"variance", "variance of the vectors, summed over dimensions"},
            {"smallest_sd", "smallest standard deviation of a dimension"},
            {"largest_sd", "largest standard deviation of a dimension"},
            {"constant", "number of dimensions that are constant"},
            {"next_cosine", "mean cosine of the first vectors of consecutive rows"},
            {"permuted_cosine",
             "mean cosine of texts of a row that have the same words in another order"},
            {"permuted", "number of pairs of such texts"}};
  }
  /// Throws DataError if there is no such column, no vector, or another number of texts than of
  /// vectors in a row; ConfigError if the column is of another kind.
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  VectorStatisticsOptions options_;
};

}  // namespace lvtext
