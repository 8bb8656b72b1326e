#include "framework/core/statistics/score.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "framework/core/base/error.h"

namespace lvtext {
namespace {

Functional functional_of(const std::string& name) {
  // Rounding of sums[0] would decide between 0 and infinity where there is nothing to count.
  const auto ratio = [](std::span<const double> sums) {
    return sums[1] == 0 ? std::nan("") : sums[0] / sums[1];
  };
  if (name == "ratio") return ratio;
  if (name == "exp_ratio") {
    return [ratio](std::span<const double> sums) { return std::exp(ratio(sums)); };
  }
  if (name == "bits_ratio") {
    return [ratio](std::span<const double> sums) { return ratio(sums) / std::numbers::ln2; };
  }
  LVT_ASSERT(name.starts_with("bleu:"), "unknown functional '" + name + "'");
  return penalized_precision;
}

std::vector<double> resampled(const SentenceRows& rows, const BootstrapOptions& options) {
  if (rows.functional == "mean") return bootstrap_means(rows.values, options);
  return bootstrap_sums(rows.values, rows.width, functional_of(rows.functional), options);
}

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

double penalized_precision(std::span<const double> sums) {
  const size_t n = (sums.size() - 2) / 2;
  const double length = sums[2 * n];
  const double reference_length = sums[2 * n + 1];
  if (length == 0) return 0;
  double log_ratios = 0;
  for (size_t i = 0; i < n; ++i) {
    if (sums[i] == 0) return 0;
    log_ratios += std::log(sums[i] / sums[n + i]);
  }
  const double log_penalty = length > reference_length ? 0 : 1 - reference_length / length;
  return 100 * std::exp(log_ratios / static_cast<double>(n) + log_penalty);
}

double value_of(const SentenceRows& rows) {
  if (rows.functional == "mean") return mean(rows.values);
  std::vector<double> sums(rows.width, 0.0);
  for (size_t i = 0; i < rows.values.size(); ++i) sums[i % rows.width] += rows.values[i];
  return functional_of(rows.functional)(sums);
}

std::vector<double> resampled(const Score& score, const BootstrapOptions& options) {
  return score.resamples.empty() ? resampled(score.rows, options) : score.resamples;
}

Score summarized(Score score, const BootstrapOptions& options) {
  score.n = static_cast<int64_t>(score.rows.values.size() / score.rows.width);
  score.value = value_of(score.rows);
  if (!std::isnan(score.value)) {
    score.reason.clear();
  } else if (score.n == 0) {
    score.reason = "there are no sentences";
  }
  if (score.n > 1 && std::isfinite(score.value)) {
    score.interval = percentile_interval(resampled(score.rows, options), options.level);
  }
  return score;
}

void add_notes(const std::vector<std::string>& from, std::vector<std::string>& to) {
  for (const std::string& note : from) {
    if (std::find(to.begin(), to.end(), note) == to.end()) to.push_back(note);
  }
}

void derive(std::span<Score> results, std::span<const Score> from, const Derivation& derivation,
            const BootstrapOptions& options) {
  std::vector<double> values;
  std::vector<std::vector<double>> given;  // [score][resample]
  for (const Score& score : from) {
    values.push_back(score.value);
    given.push_back(resampled(score, options));
  }
  const std::vector<double> now = derivation(values);
  const auto undefined = std::find_if(from.begin(), from.end(), [](const Score& score) {
    return std::isnan(score.value) && !score.reason.empty();
  });
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].value = now[i];
    if (!std::isnan(now[i])) {
      results[i].reason.clear();
    } else if (undefined != from.end()) {
      results[i].reason = undefined->reason;
    }
  }
  const auto count = static_cast<size_t>(options.resamples);
  if (std::any_of(given.begin(), given.end(),
                  [count](const auto& each) { return each.size() != count; })) {
    return;
  }
  std::vector<std::vector<double>> derived(results.size(), std::vector<double>(count));
  for (size_t r = 0; r < count; ++r) {
    for (size_t i = 0; i < given.size(); ++i) values[i] = given[i][r];
    const std::vector<double> each = derivation(values);
    for (size_t i = 0; i < results.size(); ++i) derived[i][r] = each[i];
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!all_finite(derived[i])) continue;
    results[i].interval = percentile_interval(derived[i], options.level);
    results[i].resamples = std::move(derived[i]);
  }
}

const Score* find_score(std::span<const Score> scores, const std::string& id,
                        std::optional<int64_t> line) {
  const auto found = std::find_if(scores.begin(), scores.end(), [&](const Score& score) {
    return (id.empty() || score.id == id) && score.line == line;
  });
  return found == scores.end() ? nullptr : &*found;
}

std::string missing_score_reason(const std::string& owner, const std::string& id) {
  return owner + " has no score '" + id + "'";
}

nlohmann::ordered_json to_json(const Score& score) {
  nlohmann::ordered_json json = {{"id", score.id},     {"value", score.value},
                                 {"unit", score.unit}, {"better", direction_name(score.direction)},
                                 {"n", score.n},       {"signature", score.signature}};
  if (!score.title.empty()) json["title"] = score.title;
  if (!score.reason.empty()) json["reason"] = score.reason;
  if (!score.comparable) json["comparable"] = false;
  if (score.real_is_best) json["real_is_best"] = true;
  if (!score.notes.empty()) json["notes"] = score.notes;
  if (score.line) json["line"] = *score.line;
  if (score.interval) {
    json["lo"] = score.interval->lo;
    json["hi"] = score.interval->hi;
  }
  return json;
}

}  // namespace lvtext
