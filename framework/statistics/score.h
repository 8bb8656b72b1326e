// One number of a table with everything that is needed to trust it and to compare it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/statistics/bootstrap.h"

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
  std::string id = {};  ///< within the evaluator: "corpus", "nats_per_token"
  double value = 0;
  std::string unit = {};  ///< "nats/sentence", "%", ""
  Direction direction = Direction::kNone;
  std::optional<Interval> interval =
      {};                      ///< 95 % bootstrap over sentences, where it is a mean of such
  int64_t n = 0;               ///< sentences scored
  std::string signature = {};  ///< "bleu|n:3|level:corpus|tok:13a|n_sentences:724|version:1"
  std::string title = {};      ///< of its column in a table; empty: the metric's id
  SentenceRows rows = {};      ///< empty where the score is no function of sums over sentences
};

/// 100 (prod_i a_i / b_i)^(1/N) exp(min(0, 1 - s / r)) of a_1..a_N, b_1..b_N, r, s: a geometric
/// mean of N ratios, in percent, with a penalty where r is shorter than s. 0 if an a_i or r is 0.
double penalized_precision(std::span<const double> sums);

/// The value of rows. Throws std::logic_error for a functional that does not exist.
double value_of(const SentenceRows& rows);
/// The value of each bootstrap resample; the same sentences for all scores over equally many.
std::vector<double> resampled(const SentenceRows& rows, const BootstrapOptions& options = {});

/// Sets value, n and the interval from the score's rows.
Score summarised(Score score, const BootstrapOptions& options = {});

/// All but the rows.
nlohmann::ordered_json to_json(const Score& score);

}  // namespace lvtext
