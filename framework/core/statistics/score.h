// One number of a table with everything that is needed to trust it and to compare it.
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

/// What a score is computed from, sentence by sentence, so that two systems can be compared by the
/// paired bootstrap later. `functional` says how the sum of some rows becomes a value: "mean"
/// (width 1), "ratio" and "exp_ratio" (first over second number), "bits_ratio" (the same over ln
/// 2), "bleu:N" (penalized_precision() of N ratios).
struct SentenceRows {
  std::string functional = "mean";
  size_t width = 1;
  std::vector<double> values = {};  ///< row-major [n, width]
};

struct Score {
  std::string id = {};    ///< within the evaluator: "corpus", "nats_per_token"
  double value = 0;       ///< NaN where it is not defined
  std::string unit = {};  ///< "nats/sentence", "%", ""
  Direction direction = Direction::kNone;
  std::optional<Interval> interval = {};  ///< 95 % bootstrap over sentences, from rows or resamples
  int64_t n = 0;  ///< sentences scored; of a correlation the rows, of a mean rank the metrics
  std::string signature = {};  ///< "bleu|n:3|level:corpus|tok:13a|n_sentences:724|version:1"
  std::string title = {};      ///< of its column in a table; empty: the metric's id
  /// Index among the rows of `across`, of an evaluator that gives one score for each of them.
  std::optional<int64_t> line = {};
  SentenceRows rows = {};  ///< empty where the score is no function of sums over sentences
  /// The value in each bootstrap resample, of a score that is derived from others and so has no
  /// rows.
  std::vector<double> resamples = {};
};

/// 100 (prod_i a_i / b_i)^(1/N) exp(min(0, 1 - s / r)) of a_1..a_N, b_1..b_N, r, s: a geometric
/// mean of N ratios, in percent, with a penalty where r is shorter than s. 0 if an a_i or r is 0.
double penalized_precision(std::span<const double> sums);

/// The value of rows. Throws std::logic_error for a functional that does not exist.
double value_of(const SentenceRows& rows);
/// The value in each bootstrap resample; the same sentences for all scores over equally many. Empty
/// if the score has nothing to resample.
std::vector<double> resampled(const Score& score, const BootstrapOptions& options = {});

/// Sets value, n and the interval from the score's rows.
Score summarized(Score score, const BootstrapOptions& options = {});

/// One value for each of several scores, computed from the values of others.
using Derivation = std::function<std::vector<double>(std::span<const double> values)>;
/// Sets value, resamples and interval of `results` to what `derivation` gives for the scores
/// `from`: resample r of the results is computed from resample r of all of these. Only values where
/// one of `from` has nothing to resample, or where a result is not finite in a resample.
void derive(std::span<Score> results, std::span<const Score> from, const Derivation& derivation,
            const BootstrapOptions& options = {});

/// The score that is asked for: the one of that id (empty: the first), on a line if the scores have
/// one for each line. Null if there is none.
const Score* find_score(std::span<const Score> scores, const std::string& id,
                        std::optional<int64_t> line = std::nullopt);

/// All but the rows and resamples.
nlohmann::ordered_json to_json(const Score& score);

}  // namespace lvtext
