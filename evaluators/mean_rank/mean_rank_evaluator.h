// Mean rank of each row over several metrics.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// Computes "mean_rank" of each row, the mean over metrics of its rank among the rows, and "rank",
/// the rank of this mean. Rank 1 is the best in the metric's direction; equal values get the
/// average of their ranks. Score::line is the row's index. A row with a missing value gets NaN and
/// is excluded from the ranking. Scores have intervals if all inputs have statistics per sentence.
/// Throws ConfigError for a metric without a direction.
std::vector<Score> mean_ranks(const InputScores& scores);

class MeanRankEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 2;
  static constexpr ScoresOf kScoresOf = ScoresOf::kEachRow;
  explicit MeanRankEvaluator(const NoOptions&) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"mean_rank", "rank 1 is the best"}, {"rank", "rank by the mean rank"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;
};

}  // namespace lvtext
