#include "evaluators/correlation/correlation_evaluator.h"

#include <cmath>

#include "evaluators/correlation/rating_correlation_evaluator.h"
#include "evaluators/score_inputs.h"
#include "framework/core/base/counts.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

std::vector<double> values_of(std::span<const Score> scores) {
  std::vector<double> values;
  for (const Score& score : scores) values.push_back(score.value);
  return values;
}

}  // namespace

std::vector<ScoreDecl> correlation_decls(const std::string& coefficient) {
  return {{coefficient, "coefficient, from -1 to 1"},
          {"p", "two-sided p-value of the hypothesis that there is no correlation"},
          {"n", "number of pairs"},
          {"lowest", "lowest coefficient with one pair left out"},
          {"highest", "highest coefficient with one pair left out"}};
}

std::vector<Score> correlation_scores(const CorrelationKind& kind,
                                      const CorrelationOptions& options,
                                      const std::vector<Score>& x, const std::vector<Score>& y) {
  if (x.size() != y.size()) {
    throw DataError(kind.name + ": x has " + format_count(std::ssize(x), "row") + " and y has " +
                    std::to_string(y.size()) + "; both must have the same number of rows");
  }
  std::vector<Score> pairs;  // scores of x, then scores of y
  std::vector<Score> others;
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i].value) || std::isnan(y[i].value)) continue;
    pairs.push_back(x[i]);
    others.push_back(y[i]);
  }
  const size_t n = pairs.size();
  pairs.insert(pairs.end(), others.begin(), others.end());
  const bool is_kendall = kind.type == CorrelationType::kKendall;
  const Correlation correlation = is_kendall                                ? kendall
                                  : kind.type == CorrelationType::kSpearman ? spearman
                                                                            : pearson;
  const bool is_exact = n <= kMaxPermuted;
  const std::string signature = kind.name + "|n_" + kind.pairs + ":" + std::to_string(n) + "|p:" +
                                (is_exact     ? "permutation"
                                 : is_kendall ? "normal"
                                              : "student_t") +
                                "|version:" + std::to_string(kind.revision);
  const auto score = [&](const std::string& id, double value) {
    return Score{.id = id, .value = value, .n = static_cast<int64_t>(n), .signature = signature};
  };
  std::vector<Score> scores = {score(kind.coefficient, std::nan(""))};
  derive({scores.data(), 1}, pairs, [n, correlation](std::span<const double> values) {
    const auto r = n < 3 ? std::nullopt : correlation(values.first(n), values.last(n));
    return std::vector<double>{r.value_or(std::nan(""))};
  });
  const double coefficient = scores.front().value;
  if (std::isnan(coefficient)) {
    scores.front().reason = n < 3 ? "fewer than three " + kind.pairs + " have both numbers"
                                  : "one of the metrics has the same value everywhere";
  }
  const std::vector<double> values = values_of(pairs);
  const auto a = std::span(values).first(n), b = std::span(values).last(n);
  if (!std::isnan(coefficient)) {
    const auto p = is_kendall ? permutation_p(kendall, a, b)
                   : kind.type == CorrelationType::kSpearman
                       ? permutation_p(average_ranks(a), average_ranks(b))
                       : permutation_p(a, b);
    const double approximate =
        is_kendall ? normal_p_of_tau(coefficient, n) : student_p(coefficient, n);
    scores.push_back(score("p", p.value_or(approximate)));
  }
  scores.push_back(score("n", static_cast<double>(n)));
  if (!options.leave_one_out || std::isnan(coefficient)) return scores;
  if (const auto range = leave_one_out(correlation, a, b)) {
    scores.push_back(score("lowest", range->lo));
    scores.push_back(score("highest", range->hi));
  }
  return scores;
}

std::vector<InputDecl> CorrelationEvaluator::inputs() const {
  return {
      {.name = "x", .help = "first metric, with one value per row", .type = ArtifactType::kScores},
      {.name = "y",
       .help = "second metric, with one value per row",
       .type = ArtifactType::kScores}};
}

std::vector<Score> CorrelationEvaluator::evaluate(const Inputs& inputs) const {
  return correlation_scores(kind_, options_, scores_of_rows(inputs, "x"),
                            scores_of_rows(inputs, "y"));
}

void register_correlation(Registries& registries) {
  add_evaluator<KendallEvaluator, CorrelationOptions>(
      registries, "kendall", "Kendall's rank correlation of two metrics over rows",
      {"Kendall 1938", "https://doi.org/10.1093/biomet/30.1-2.81"});
  add_evaluator<PearsonEvaluator, CorrelationOptions>(
      registries, "pearson", "Pearson's correlation of two metrics over rows",
      {"Pearson 1895", "https://doi.org/10.1098/rspl.1895.0041"});
  add_evaluator<SpearmanEvaluator, CorrelationOptions>(
      registries, "spearman", "Spearman's rank correlation of two metrics over rows",
      {"Spearman 1904", "https://doi.org/10.2307/1412159"});
  add_evaluator<RatingCorrelationEvaluator, NoOptions>(
      registries, "rating_correlation",
      "Spearman's rank correlation of a metric with ratings, over sentences",
      {"Spearman 1904", "https://doi.org/10.2307/1412159"});
}

}  // namespace lvtext
