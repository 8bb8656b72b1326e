// Verdicts on what a paper claims.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/report/check_expression.h"

namespace lvtext {

/// A check of a recipe.
struct Check {
  std::string id, claim, expr;
  /// True if it only means something at the paper's sizes (`scale: absolute`).
  bool absolute = false;
  /// True of a condition on what judges, such as a classifier's accuracy: shown above the table.
  bool guard = false;
};

/// A row's score in the run of one seed.
struct SeedValue {
  uint64_t seed = 0;
  double value = 0;
};

/// Where checks read scores. Rows and metrics are ids of the table.
class ScoreSource {
 public:
  virtual ~ScoreSource() = default;
  virtual std::vector<std::string> rows() const = 0;
  virtual std::vector<std::string> metrics() const = 0;
  /// The cell's value (the mean over seeds); none if it was not computed.
  virtual std::optional<double> value(const std::string& row, const std::string& metric) const = 0;
  /// One value for each seed; empty if the score depends on no seed (real data).
  virtual std::vector<SeedValue> per_seed(const std::string& row,
                                          const std::string& metric) const = 0;
  /// How many resamples there are.
  virtual int resamples() const = 0;
  /// The cell's value on resample `index`, whose sentences are the same for all rows and metrics;
  /// none if the score has no per-sentence statistics.
  virtual std::optional<double> resampled(const std::string& row, const std::string& metric,
                                          int index) const = 0;
};

enum class Verdict { kHolds, kFails, kUndecided, kNotApplicable, kNotRun };
/// "holds", "fails", "undecided", "not applicable" or "not run".
std::string verdict_name(Verdict verdict);

/// The figures of one comparison.
struct ComparisonResult {
  std::string text;
  Verdict verdict = Verdict::kUndecided;
  /// Left minus right side, of the cells' values.
  double difference = 0;
  /// Its 95 % interval; none if nothing tells how noisy the difference is.
  std::optional<double> lo, hi;
  /// Seeds behind the interval; 0 for a bootstrap over sentences.
  int64_t n_seeds = 0;
};

struct CheckResult {
  Check check;
  Verdict verdict = Verdict::kNotRun;
  std::vector<ComparisonResult> comparisons;
  /// True if an interval knows the noise of the sentences but not of the training.
  bool sentence_noise_only = false;
  /// Why it is not applicable, not run or has no interval.
  std::string reason;
};

/// Judges one check. Each comparison holds if the whole 95 % interval of the difference is on its
/// side, fails if the whole interval is on the other, else it is undecided; the check fails if one
/// comparison fails and holds if all hold. With at least three seeds common to all terms the
/// interval is Student's over the seeds' differences, else the percentiles of a bootstrap paired by
/// sentences. Throws ConfigError for a malformed expression or an unknown row or metric.
CheckResult judge(const Check& check, const std::string& profile, const ScoreSource& scores);

/// checks.json: every check with verdict and figures.
std::string checks_json(const std::vector<CheckResult>& results);

}  // namespace lvtext
