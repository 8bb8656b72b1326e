// The triggers.
#include <algorithm>
#include <limits>

#include "trainers/trigger.h"

namespace lvtext {
namespace {

/// Trigger of NT-ASGD (Merity, Keskar and Socher 2018, algorithm 1, as in their code): fires at a
/// validation preceded by more than `patience` others if its objective is above the lowest of
/// these, excluding the latest `patience`.
struct NonMonotonicTrigger : Trigger {
  int64_t patience = 5;

  bool fired(const std::vector<Evaluation>& evaluations) const override {
    double lowest = std::numeric_limits<double>::infinity();
    const auto lag = static_cast<size_t>(patience);
    for (size_t i = lag + 1; i < evaluations.size(); ++i) {
      lowest = std::min(lowest, evaluations[i - lag - 1].objective);
      if (evaluations[i].objective > lowest) return true;
    }
    return false;
  }

  template <class V>
  void visit(V& v) {
    v.field("patience", patience,
            "number of latest earlier validations that are excluded from the comparison",
            at_least(1));
  }
};

}  // namespace

Choices<Trigger>& Trigger::components() {
  static auto components = [] {
    Choices<Trigger> all(kKind);
    add_component<NonMonotonicTrigger>(
        all, "non_monotonic",
        "fires when a validation is worse than the best one before the latest `patience`");
    return all;
  }();
  return components;
}

}  // namespace lvtext
