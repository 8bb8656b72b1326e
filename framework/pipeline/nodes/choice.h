// One of several candidates, chosen by a score of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/options/options.h"

namespace lvtext {

/// Which of several candidates that fit equally well is chosen, in their order.
enum class Ties { kEarlier, kLater };
const std::vector<EnumName<Ties>>& enum_names(Ties);

/// How a candidate is chosen.
struct ChoiceRule {
  enum class By { kMax, kMin, kNearest };
  By by = By::kMax;
  double target = 0;  ///< kNearest: the value that the score should have
  /// kNearest: the largest distance from it; none is chosen where all are farther away.
  std::optional<double> within = {};
  Ties ties = Ties::kEarlier;
};

const std::vector<EnumName<ChoiceRule::By>>& enum_names(ChoiceRule::By);

/// The options of an entry of `select` besides `among`.
struct ChoiceOptions {
  std::optional<std::string> max, min, of;
  std::optional<double> nearest, within;
  Ties ties = Ties::kEarlier;

  ChoiceRule rule() const;
  /// The metric that the candidates are compared by, as it is written.
  const std::string& metric() const { return max ? *max : min ? *min : of.value(); }

  template <class V>
  void visit(V& v) {
    v.field("max", max, "the metric whose largest value is chosen");
    v.field("min", min, "the metric whose smallest value is chosen");
    v.field("nearest", nearest, "the value of the metric `of` that is wanted");
    v.field("of", of, "nearest: the metric");
    v.field("within", within, "nearest: none is chosen beyond this distance; unset: no limit",
            at_least(0));
    v.field("ties", ties, "which of several that fit equally well");
    v.check((max ? 1 : 0) + (min ? 1 : 0) + (nearest ? 1 : 0) == 1,
            "a choice is by one of max, min and nearest");
    v.check(nearest.has_value() == of.has_value(), "nearest and of belong together");
    v.check(nearest || !within, "within belongs to nearest");
  }
};

/// What can be chosen. A score that is not finite is as good as none.
struct Candidate {
  std::string key;
  double score = 0;
};

/// What was chosen.
struct MadeChoice {
  std::optional<std::string> key;  ///< none: nothing was
  std::optional<double> score;     ///< of what was chosen, else of the nearest candidate
  std::string reason;              ///< why nothing was chosen

  /// The key as the step of a kept checkpoint.
  int64_t step() const;
};

/// Chooses among candidates in their order. Distances are compared to 1e-9 of the larger of 1 and
/// the target, so that 0.78 is within 0.02 of 0.80. `what` names a candidate in reasons.
MadeChoice choose(const ChoiceRule& rule, const std::vector<Candidate>& candidates,
                  const std::string& what);

}  // namespace lvtext
