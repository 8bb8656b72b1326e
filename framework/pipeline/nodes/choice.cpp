#include "framework/pipeline/nodes/choice.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

/// Returns a cost that is lowest for the best candidate.
double cost_of(const ChoiceRule& rule, double score) {
  switch (rule.by) {
    case ChoiceRule::By::kMax: return -score;
    case ChoiceRule::By::kMin: return score;
    case ChoiceRule::By::kNearest: break;
  }
  return std::abs(score - rule.target);
}

}  // namespace

const std::vector<EnumName<ChoiceRule::By>>& enum_names(ChoiceRule::By) {
  using By = ChoiceRule::By;
  static const std::vector<EnumName<By>> names = {{"max", By::kMax, "the highest score"},
                                                  {"min", By::kMin, "the lowest score"},
                                                  {"nearest", By::kNearest, "closest to `target`"}};
  return names;
}

const std::vector<EnumName<Ties>>& enum_names(Ties) {
  static const std::vector<EnumName<Ties>> names = {
      {"earlier", Ties::kEarlier, "earliest candidate"},
      {"later", Ties::kLater, "latest candidate"}};
  return names;
}

ChoiceRule ChoiceOptions::rule() const {
  return {.by = max   ? ChoiceRule::By::kMax
                : min ? ChoiceRule::By::kMin
                      : ChoiceRule::By::kNearest,
          .target = nearest.value_or(0),
          .within = within,
          .ties = ties};
}

MadeChoice choose(const ChoiceRule& rule, const std::vector<Candidate>& candidates,
                  const std::string& what) {
  const bool nearest = rule.by == ChoiceRule::By::kNearest;
  const double slack = nearest ? 1e-9 * std::max(1.0, std::abs(rule.target)) : 0;
  double lowest = std::numeric_limits<double>::infinity();
  for (const Candidate& each : candidates) {
    if (std::isfinite(each.score)) lowest = std::min(lowest, cost_of(rule, each.score));
  }
  const Candidate* best = nullptr;
  for (const Candidate& each : candidates) {
    if (!std::isfinite(each.score) || cost_of(rule, each.score) > lowest + slack) continue;
    if (!best || rule.ties == Ties::kLater) best = &each;
  }
  if (!best) return {.key = {}, .score = {}, .reason = "no " + what + " has a finite score"};
  if (nearest && rule.within && lowest > *rule.within + slack) {
    return {.key = {},
            .score = best->score,
            .reason = "no " + what + " within " + format_number(*rule.within) + " of " +
                      format_number(rule.target) + "; nearest " + significant(best->score, 4)};
  }
  return {.key = best->key, .score = best->score, .reason = ""};
}

}  // namespace lvtext
