// Selection of one of several candidates by their scores.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/options/options.h"
#include "framework/pipeline/store/selection_file.h"

namespace lvtext {

/// Tie-breaking: the first or the last of equally good candidates.
enum class Ties { kEarlier, kLater };
const std::vector<EnumName<Ties>>& enum_names(Ties);

/// Criterion of a selection.
struct SelectionRule {
  enum class By { kMax, kMin, kNearest };
  By by = By::kMax;
  double target = 0;  ///< kNearest: target value of the score
  /// kNearest: maximum distance from the target; without a candidate within it, none is chosen.
  std::optional<double> within = {};
  Ties ties = Ties::kEarlier;
};

const std::vector<EnumName<SelectionRule::By>>& enum_names(SelectionRule::By);

/// The options of an entry of `select` besides `among`.
struct SelectionOptions {
  std::optional<std::string> max, min, of;
  std::optional<double> nearest, within;
  Ties ties = Ties::kEarlier;

  SelectionRule rule() const;
  /// The metric that candidates are compared by, as written.
  const std::string& metric() const { return max ? *max : min ? *min : of.value(); }

  template <class V>
  void visit(V& v) {
    v.field("max", max, "metric to maximize");
    v.field("min", min, "metric to minimize");
    v.field("nearest", nearest, "target value of the metric `of`");
    v.field("of", of, "metric of `nearest`");
    v.field("within", within, "maximum distance from `nearest`; unset: no limit", at_least(0));
    v.field("ties", ties, "choice among equally good candidates");
    v.check((max ? 1 : 0) + (min ? 1 : 0) + (nearest ? 1 : 0) == 1,
            "exactly one of max, min and nearest is required");
    v.check(nearest.has_value() == of.has_value(), "nearest and of require each other");
    v.check(nearest || !within, "within requires nearest");
  }
};

/// A candidate. Candidates with a non-finite score are ignored.
struct Candidate {
  std::string key;
  double score = 0;
};

/// Chooses among candidates in their order. Distances are compared with a tolerance of 1e-9 times
/// the larger of 1 and the target, so that 0.78 is within 0.02 of 0.80. `what`: name of a candidate
/// in reasons.
Selection choose(const SelectionRule& rule, const std::vector<Candidate>& candidates,
                 const std::string& what);

}  // namespace lvtext
