#include "evaluators/correlation/rating_correlation_evaluator.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "evaluators/correlation/correlation_evaluator.h"
#include "evaluators/score_inputs.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/parallel.h"
#include "framework/core/base/strings.h"
#include "framework/core/statistics/sentence_values.h"

namespace lvtext {
namespace {

std::vector<Score> as_scores(const std::vector<double>& values) {
  std::vector<Score> scores;
  for (const double value : values) scores.push_back({.value = value});
  return scores;
}

/// The coefficient in each bootstrap resample; NaN where it is undefined.
std::vector<double> resampled_rho(const std::vector<double>& x, const std::vector<double>& y) {
  const BootstrapOptions options;
  std::vector<double> results(static_cast<size_t>(options.resamples));
  parallel_for(results.size(), options.threads, [&](size_t r) {
    std::vector<double> a, b;
    for (size_t position = 0; position < x.size(); ++position) {
      const uint64_t sentence = bootstrap_draw(options.seed, r, position, x.size());
      a.push_back(x[sentence]);
      b.push_back(y[sentence]);
    }
    results[r] = spearman(a, b).value_or(std::nan(""));
  });
  return results;
}

}  // namespace

std::vector<Score> rating_correlation(const Score& score, const std::vector<double>& ratings) {
  const std::vector<double> values = sentence_values(score.rows);
  if (values.empty()) {
    throw ConfigError("rating_correlation: the metric has no value for each sentence");
  }
  if (values.size() != ratings.size()) {
    throw DataError("rating_correlation: the metric has " +
                    format_count(static_cast<int64_t>(values.size()), "sentence") +
                    ", but the input has " +
                    format_count(static_cast<int64_t>(ratings.size()), "rating"));
  }
  const double sign = score.direction == Direction::kLower ? -1 : 1;
  std::vector<double> x, y;
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    x.push_back(sign * values[i]);
    y.push_back(ratings[i]);
  }
  std::vector<Score> scores =
      correlation_scores({"spearman", "rho", CorrelationType::kSpearman,
                          RatingCorrelationEvaluator::kRevision, "sentences"},
                         {.leave_one_out = false}, as_scores(x), as_scores(y));
  for (Score& each : scores) {
    each.signature = "rating_correlation|" + each.signature + signatures_of({score});
  }
  Score& rho = scores.front();
  rho.direction = Direction::kHigher;
  if (std::isnan(rho.value)) return scores;
  std::vector<double> resamples = resampled_rho(x, y);
  const bool all_defined = std::none_of(resamples.begin(), resamples.end(),
                                        [](double each) { return std::isnan(each); });
  if (!all_defined) return scores;
  rho.interval = percentile_interval(resamples);
  rho.resamples = std::move(resamples);
  return scores;
}

std::vector<InputDecl> RatingCorrelationEvaluator::inputs() const {
  return {{.name = "score",
           .help = "metric of the row, with a value for each sentence",
           .type = ArtifactType::kScores},
          {.name = "ratings",
           .help = "column of numbers: the rating of each sentence",
           .type = ArtifactType::kDataset}};
}

std::vector<ScoreDecl> RatingCorrelationEvaluator::scores() {
  return {{"rho", "Spearman's correlation of the metric with the ratings, over sentences"},
          {"p", "two-sided p-value of the hypothesis that there is no correlation"},
          {"n", "number of sentences"}};
}

std::vector<Score> RatingCorrelationEvaluator::evaluate(const Inputs& inputs) const {
  const Dataset rated = inputs.dataset("ratings");
  const DatasetColumn& column = rated.columns().front();
  if (column.decl().kind != ColumnKind::kNumber || column.decl().ragged ||
      rated.columns().size() != 1) {
    throw ConfigError(
        "rating_correlation: ratings must be one column of numbers, such as "
        "ratings: rated.test.topic, not " +
        join(rated.names()));
  }
  std::vector<double> ratings;
  for (int64_t row = 0; row < column.size(); ++row) {
    column.copy(row, 0, &ratings.emplace_back());
  }
  return rating_correlation(score_of_row(inputs, "score"), ratings);
}

}  // namespace lvtext
