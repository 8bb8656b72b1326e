// Checks of a paper's claims against the computed scores.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/report/check_expression.h"

namespace lvtext {

/// A check defined in a recipe.
struct Check {
  std::string id, claim, expr;
  /// True if the check is only valid at the paper's model and data sizes (`scale: absolute`).
  bool absolute = false;
  /// True for a condition on a model used for evaluation, such as a classifier's accuracy; shown
  /// above the table.
  bool guard = false;
};

/// Score of a row for one seed.
struct SeedValue {
  uint64_t seed = 0;
  double value = 0;
};

/// Provides the scores that checks refer to. Rows and metrics are ids of the table.
class ScoreSource {
 public:
  virtual ~ScoreSource() = default;
  virtual std::vector<std::string> rows() const = 0;
  virtual std::vector<std::string> metrics() const = 0;
  /// Value of the cell (mean over seeds); nullopt if it was not computed.
  virtual std::optional<double> value(const std::string& row, const std::string& metric) const = 0;
  /// One value per seed; empty if the score does not depend on a seed (real data).
  virtual std::vector<SeedValue> per_seed(const std::string& row,
                                          const std::string& metric) const = 0;
  /// Number of bootstrap resamples.
  virtual int resamples() const = 0;
  /// Value of the cell on resample `index`; a resample has the same sentences for all rows and
  /// metrics. nullopt if the score has no per-sentence statistics.
  virtual std::optional<double> resampled(const std::string& row, const std::string& metric,
                                          int index) const = 0;
};

enum class Verdict { kHolds, kFails, kUndecided, kNotApplicable, kNotRun };
/// "holds", "fails", "undecided", "not applicable" or "not run".
std::string verdict_name(Verdict verdict);

/// Result of one comparison.
struct ComparisonResult {
  std::string text;
  Verdict verdict = Verdict::kUndecided;
  /// Left minus right side: the mean over the seeds of the interval, so that the interval is that
  /// of this number; without seeds computed from the values of the cells.
  double difference = 0;
  /// 95 % interval of the difference; nullopt if its variance cannot be estimated.
  std::optional<double> lo, hi;
  /// Number of seeds of the interval; 0 for a bootstrap over sentences.
  int64_t n_seeds = 0;
};

struct CheckResult {
  Check check;
  Verdict verdict = Verdict::kNotRun;
  std::vector<ComparisonResult> comparisons;
  /// True if an interval covers the variance over sentences but not over training runs.
  bool sentence_noise_only = false;
  /// Why the check is not applicable, was not run or has no interval.
  std::string reason;
};

/// Evaluates one check. A comparison holds if the whole 95 % interval of the difference satisfies
/// it, fails if no part of the interval does, and is undecided otherwise; the check fails if one
/// comparison fails and holds if all hold. With at least three seeds common to all terms,
/// difference and interval are the mean and Student's t interval of the per-seed differences (of
/// the minimum of two metrics: the mean of the minima; a seed that a term lacks has no part in
/// them), otherwise the difference of the cells and the percentile interval of a bootstrap paired
/// by sentences. Throws ConfigError for a malformed expression and for an unknown row or metric.
CheckResult judge(const Check& check, const std::string& profile, const ScoreSource& scores);

/// Content of checks.json: every check with its verdict, differences and intervals.
std::string checks_json(const std::vector<CheckResult>& results);

}  // namespace lvtext
