#include "framework/pipeline/report/checks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "framework/core/base/strings.h"
#include "framework/core/statistics/statistics.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;

// With fewer than three seeds, an interval over seeds is too wide to be informative.
constexpr size_t kMinSeeds = 3;

// Differences of one comparison, one per seed common to all its terms. Terms without seeds
// contribute their value. Empty if no term has seeds.
std::vector<double> differences_by_seed(const CheckExpression& expression,
                                        const Comparison& comparison,
                                        const std::vector<double>& values,
                                        const ScoreSource& scores) {
  std::map<uint64_t, std::vector<std::pair<size_t, double>>> by_seed;
  size_t seeded_terms = 0;
  for (const size_t term : comparison.terms) {
    const CheckTerm& name = expression.terms()[term];
    const std::vector<SeedValue> seeds = scores.per_seed(name.row, name.metric);
    seeded_terms += seeds.empty() ? 0 : 1;
    for (const SeedValue& seed : seeds) by_seed[seed.seed].emplace_back(term, seed.value);
  }
  std::vector<double> differences;
  for (const auto& [seed, found] : by_seed) {
    if (found.size() != seeded_terms) continue;
    std::vector<double> of_seed = values;
    for (const auto& [term, value] : found) of_seed[term] = value;
    differences.push_back(expression.difference(comparison, of_seed));
  }
  return differences;
}

// The number of seeds of the term that has most.
size_t most_seeds(const CheckExpression& expression, const Comparison& comparison,
                  const ScoreSource& scores) {
  size_t most = 0;
  for (const size_t term : comparison.terms) {
    const CheckTerm& name = expression.terms()[term];
    most = std::max(most, scores.per_seed(name.row, name.metric).size());
  }
  return most;
}

// Differences of one comparison, one per resample; empty if one of its terms has no resamples.
std::vector<double> differences_by_resample(const CheckExpression& expression,
                                            const Comparison& comparison,
                                            const ScoreSource& scores) {
  std::vector<double> differences;
  std::vector<double> values(expression.terms().size(), 0.0);
  for (int r = 0; r < scores.resamples(); ++r) {
    for (const size_t term : comparison.terms) {
      const CheckTerm& name = expression.terms()[term];
      const std::optional<double> value = scores.resampled(name.row, name.metric, r);
      if (!value) return {};
      values[term] = *value;
    }
    differences.push_back(expression.difference(comparison, values));
  }
  return differences;
}

// Holds or fails if the whole interval is on one side of zero, otherwise undecided.
Verdict verdict_of(Comparator comparator, Interval interval) {
  switch (comparator) {
    case Comparator::kGreater:
      if (interval.lo > 0) return Verdict::kHolds;
      return interval.hi <= 0 ? Verdict::kFails : Verdict::kUndecided;
    case Comparator::kGreaterEqual:
      if (interval.lo >= 0) return Verdict::kHolds;
      return interval.hi < 0 ? Verdict::kFails : Verdict::kUndecided;
    case Comparator::kLess: return verdict_of(Comparator::kGreater, {-interval.hi, -interval.lo});
    case Comparator::kLessEqual: break;
  }
  return verdict_of(Comparator::kGreaterEqual, {-interval.hi, -interval.lo});
}

ComparisonResult compare(const CheckExpression& expression, const Comparison& comparison,
                         const std::vector<double>& values, const ScoreSource& scores,
                         CheckResult& result) {
  ComparisonResult out;
  out.text = comparison.text;
  out.difference = expression.difference(comparison, values);
  const auto note = [&](const std::string& reason) {
    if (!result.reason.empty()) result.reason += "; ";
    result.reason += comparison.text + ": " + reason;
  };
  if (!std::isfinite(out.difference)) {
    note("the difference is not a finite number");
    return out;
  }
  std::optional<Interval> interval;
  const std::vector<double> by_seed = differences_by_seed(expression, comparison, values, scores);
  if (by_seed.size() >= kMinSeeds) {
    out.difference = mean(by_seed);
    interval = t_interval(by_seed);
    out.n_seeds = static_cast<int64_t>(by_seed.size());
    if (by_seed.size() < most_seeds(expression, comparison, scores)) {
      note("only seeds that all terms have");
    }
  } else {
    std::vector<double> resampled = differences_by_resample(expression, comparison, scores);
    if (!resampled.empty()) {
      interval = percentile_interval(std::move(resampled));
      result.sentence_noise_only = true;
    }
  }
  if (!interval) {
    note("no interval: fewer than three common seeds, and no per-sentence scores");
    return out;
  }
  if (!std::isfinite(interval->lo) || !std::isfinite(interval->hi)) {
    note("the interval is not finite");
    return out;
  }
  out.lo = interval->lo;
  out.hi = interval->hi;
  out.verdict = verdict_of(comparison.comparator, *interval);
  return out;
}

Verdict joined(const std::vector<ComparisonResult>& comparisons) {
  const auto is = [](Verdict verdict) {
    return [verdict](const ComparisonResult& result) { return result.verdict == verdict; };
  };
  if (std::any_of(comparisons.begin(), comparisons.end(), is(Verdict::kFails))) {
    return Verdict::kFails;
  }
  return std::all_of(comparisons.begin(), comparisons.end(), is(Verdict::kHolds))
             ? Verdict::kHolds
             : Verdict::kUndecided;
}

}  // namespace

std::string verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds: return "holds";
    case Verdict::kFails: return "fails";
    case Verdict::kUndecided: return "undecided";
    case Verdict::kNotApplicable: return "not applicable";
    case Verdict::kNotRun: break;
  }
  return "not run";
}

CheckResult judge(const Check& check, const std::string& profile, const ScoreSource& scores) {
  CheckResult result;
  result.check = check;
  const CheckExpression expression = CheckExpression::parse(check.expr, "checks." + check.id);
  expression.check_names(scores.rows(), scores.metrics());
  if (check.absolute && profile != "gpu" && profile != "paper") {
    result.verdict = Verdict::kNotApplicable;
    result.reason = "requires the paper's sizes (profile gpu or paper)";
    return result;
  }
  std::vector<double> values;
  std::vector<std::string> missing;
  for (const CheckTerm& term : expression.terms()) {
    const std::optional<double> value = scores.value(term.row, term.metric);
    if (!value) missing.push_back(term.row + "." + term.metric);
    values.push_back(value.value_or(0));
  }
  if (!missing.empty()) {
    result.reason = "not computed: " + join(missing);
    return result;
  }
  for (const Comparison& comparison : expression.comparisons()) {
    result.comparisons.push_back(compare(expression, comparison, values, scores, result));
  }
  result.verdict = joined(result.comparisons);
  return result;
}

std::string checks_json(const std::vector<CheckResult>& results) {
  const auto number = [](const std::optional<double>& value) {
    return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
  };
  Json checks = Json::array();
  for (const CheckResult& result : results) {
    Json comparisons = Json::array();
    for (const ComparisonResult& comparison : result.comparisons) {
      comparisons.push_back({{"text", comparison.text},
                             {"verdict", verdict_name(comparison.verdict)},
                             {"difference", number(comparison.difference)},
                             {"lo", number(comparison.lo)},
                             {"hi", number(comparison.hi)},
                             {"seeds", comparison.n_seeds}});
    }
    Json check = {{"id", result.check.id},
                  {"claim", result.check.claim},
                  {"expr", result.check.expr},
                  {"scale", result.check.absolute ? "absolute" : "relative"},
                  {"verdict", verdict_name(result.verdict)},
                  {"comparisons", std::move(comparisons)},
                  {"noise", result.sentence_noise_only ? "noise of sentences only" : ""},
                  {"reason", result.reason}};
    if (result.check.guard) check["guard"] = true;
    checks.push_back(std::move(check));
  }
  const Json json = {{"schema", "lvtext.checks/1"}, {"checks", checks}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lvtext
