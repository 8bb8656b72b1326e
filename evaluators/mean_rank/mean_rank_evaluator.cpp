#include "evaluators/mean_rank/mean_rank_evaluator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "framework/core/base/error.h"
#include "framework/core/model/registration.h"
#include "framework/core/statistics/correlation.h"

namespace lvtext {
namespace {

/// For each metric: whether higher is better.
std::vector<bool> improves_upwards(const InputScores& scores) {
  std::vector<bool> upwards;
  for (size_t metric = 0; metric < scores.scores.size(); ++metric) {
    const auto& lines = scores.scores[metric];
    const auto known = std::find_if(lines.begin(), lines.end(), [](const Score& score) {
      return score.direction != Direction::kNone;
    });
    if (known == lines.end()) {
      throw ConfigError("mean_rank: '" + scores.metrics[metric] +
                        "' has no direction, so rows cannot be ranked by it; remove it");
    }
    upwards.push_back(known->direction == Direction::kHigher);
  }
  return upwards;
}

/// Mean rank of each of `n` rows, then the rank of each mean rank; `values` has `n` values for each
/// metric in turn.
std::vector<double> mean_ranks(std::span<const double> values, size_t n,
                               const std::vector<bool>& upwards) {
  std::vector<double> means(n, 0.0);
  for (size_t metric = 0; metric < upwards.size(); ++metric) {
    const auto of_metric = values.subspan(metric * n, n);
    std::vector<double> worse_when_larger(of_metric.begin(), of_metric.end());
    if (upwards[metric]) {
      for (double& value : worse_when_larger) value = -value;
    }
    const std::vector<double> ranks = average_ranks(worse_when_larger);
    for (size_t i = 0; i < n; ++i) means[i] += ranks[i] / static_cast<double>(upwards.size());
  }
  const std::vector<double> ranks = average_ranks(means);
  means.insert(means.end(), ranks.begin(), ranks.end());
  return means;
}

}  // namespace

std::vector<Score> mean_ranks(const InputScores& scores) {
  std::vector<size_t> complete;
  for (size_t line = 0; line < scores.lines.size(); ++line) {
    if (std::none_of(scores.scores.begin(), scores.scores.end(),
                     [line](const auto& lines) { return std::isnan(lines[line].value); })) {
      complete.push_back(line);
    }
  }
  const std::string signature = "mean_rank|n_metrics:" + std::to_string(scores.metrics.size()) +
                                "|n_rows:" + std::to_string(complete.size()) +
                                "|version:" + std::to_string(MeanRankEvaluator::kRevision);
  // The mean ranks of lines, then their ranks; without values.
  const auto results = [&](const std::vector<size_t>& lines) {
    std::vector<Score> results;
    for (const char* id : {"mean_rank", "rank"}) {
      for (const size_t line : lines) {
        results.push_back({.id = id,
                           .value = std::nan(""),
                           .reason = "one of the metrics is missing",
                           .direction = Direction::kLower,
                           .n = static_cast<int64_t>(scores.metrics.size()),
                           .signature = signature,
                           .line = static_cast<int64_t>(line)});
      }
    }
    return results;
  };
  std::vector<size_t> lines(scores.lines.size());
  std::iota(lines.begin(), lines.end(), size_t{0});
  std::vector<Score> all = results(lines);
  if (complete.empty()) return all;
  std::vector<Score> from, ranked = results(complete);
  for (const auto& of_metric : scores.scores) {
    for (const size_t line : complete) from.push_back(of_metric[line]);
  }
  derive(ranked, from,
         [n = complete.size(), upwards = improves_upwards(scores)](std::span<const double> values) {
           return mean_ranks(values, n, upwards);
         });
  for (size_t i = 0; i < ranked.size(); ++i) {
    const size_t line = complete[i % complete.size()];
    all[i < complete.size() ? line : line + lines.size()] = std::move(ranked[i]);
  }
  return all;
}

std::vector<InputDecl> MeanRankEvaluator::inputs() const {
  return {{.name = "scores",
           .help = "metrics by which the rows are ranked",
           .type = ArtifactType::kScores,
           .arity = InputDecl::Arity::kMany}};
}

std::vector<Score> MeanRankEvaluator::evaluate(const Inputs& inputs) const {
  return mean_ranks(inputs.scores("scores"));
}

void register_mean_rank(Registries& registries) {
  add_evaluator<MeanRankEvaluator, NoOptions>(
      registries, "mean_rank", "Mean rank of each row over several metrics",
      {"Friedman 1937", "https://doi.org/10.1080/01621459.1937.10503522"});
}

}  // namespace lvtext
