#include "framework/pipeline/nodes/selection.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

/// Returns a cost that is lowest for the best candidate.
double cost_of(const SelectionRule& rule, double score) {
  switch (rule.by) {
    case SelectionRule::By::kMax: return -score;
    case SelectionRule::By::kMin: return score;
    case SelectionRule::By::kNearest: break;
  }
  return std::abs(score - rule.target);
}

}  // namespace

const std::vector<EnumName<SelectionRule::By>>& enum_names(SelectionRule::By) {
  using By = SelectionRule::By;
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

SelectionRule SelectionOptions::rule() const {
  return {.by = max   ? SelectionRule::By::kMax
                : min ? SelectionRule::By::kMin
                      : SelectionRule::By::kNearest,
          .target = nearest.value_or(0),
          .within = within,
          .ties = ties};
}

Selection choose(const SelectionRule& rule, const std::vector<Candidate>& candidates,
                 const std::string& what) {
  const bool nearest = rule.by == SelectionRule::By::kNearest;
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
