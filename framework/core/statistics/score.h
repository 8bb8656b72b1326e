// Scores with interval, signature and statistics per sentence.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/core/statistics/bootstrap.h"

namespace lvtext {

/// Statistics per sentence from which a score is computed, for paired bootstrap comparisons of
/// systems. `functional` computes the value from the sum of rows: "mean"
/// (width 1), "ratio" and "exp_ratio" (first over second number; NaN if the second is 0),
/// "bits_ratio" (the same over ln 2), "bleu:N" (penalized_precision() of N ratios).
struct SentenceRows {
  std::string functional = "mean";
  size_t width = 1;
  std::vector<double> values = {};  ///< row-major [n, width]
};

/// One result of an evaluator: a value with its unit and, where it can be resampled, an interval.
/// Only scores with equal signatures are comparable.
struct Score {
  std::string id = {};      ///< id within the evaluator: "corpus", "nats_per_token"
  double value = 0;         ///< NaN if undefined
  std::string reason = {};  ///< why the value is NaN; empty: it should not be
  std::string unit = {};    ///< "nats/sentence", "%", ""
  Direction direction = Direction::kNone;
  std::optional<Interval> interval = {};  ///< 95 % bootstrap over sentences, from rows or resamples
  int64_t n = 0;  ///< number of sentences; of rows for a correlation, of metrics for a mean rank
  std::string signature = {};  ///< "bleu|n:3|level:corpus|tok:13a|n_sentences:724|version:1"
  std::string title = {};      ///< title of its column in a table; empty: the metric's id
  /// False if its values are on another scale than a paper's values of the same metric.
  bool comparable = true;
  /// True if the value of real data is the best one: lower values indicate a collapsed model.
  bool real_is_best = false;
  /// Shown beside the value: "12 of 1,000 `outputs` are empty".
  std::vector<std::string> notes = {};
  /// For evaluators with one score per row of `across`: index of the row.
  std::optional<int64_t> line = {};
  SentenceRows rows = {};  ///< empty if the score is not a function of sums over sentences
  /// Value in each bootstrap resample, for a score derived from other scores, which has no rows.
  std::vector<double> resamples = {};
};

/// 100 (prod_i a_i / b_i)^(1/N) exp(min(0, 1 - s / r)) of a_1..a_N, b_1..b_N, r, s: a geometric
/// mean of N ratios, in percent, with a penalty if r is less than s. 0 if an a_i or r is 0.
double penalized_precision(std::span<const double> sums);

/// The value of rows. Throws std::logic_error for an unknown functional.
double value_of(const SentenceRows& rows);
/// The value in each bootstrap resample; scores over the same number of sentences use the same
/// sentences. Empty if the score cannot be resampled.
std::vector<double> resampled(const Score& score, const BootstrapOptions& options = {});

/// Sets value, n and the interval from the score's rows. `reason`, which says when the score is
/// undefined, is kept only if the value is NaN.
Score summarized(Score score, const BootstrapOptions& options = {});

/// Computes the values of several scores from the values of others.
using Derivation = std::function<std::vector<double>(std::span<const double> values)>;
/// Adds to `to` the notes of `from` that it lacks.
void add_notes(const std::vector<std::string>& from, std::vector<std::string>& to);

/// Sets value, resamples and interval of `results` by applying `derivation` to the scores `from`:
/// resample r of the results is computed from resample r of all of these. Sets only the values if
/// one of `from` cannot be resampled, or if a result is not finite in a resample. `reason` is kept
/// only if the value is NaN, and replaced by that of an undefined score of `from`.
void derive(std::span<Score> results, std::span<const Score> from, const Derivation& derivation,
            const BootstrapOptions& options = {});

/// The score with an id (empty: the first), at a line if the scores have one per line. Null if
/// there is none.
const Score* find_score(std::span<const Score> scores, const std::string& id,
                        std::optional<int64_t> line = std::nullopt);
/// Why there is none: "bleu has no score 'corpsu'". `owner`: what was searched.
std::string missing_score_reason(const std::string& owner, const std::string& id);

/// All members except the rows and resamples.
nlohmann::ordered_json to_json(const Score& score);

}  // namespace lvtext
