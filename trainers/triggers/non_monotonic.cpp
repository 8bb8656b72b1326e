#include <algorithm>
#include <limits>

#include "trainers/trigger.h"

namespace lvtext {
namespace {

/// Of NT-ASGD (Merity, Keskar and Socher 2018, algorithm 1, as their code has it): a validation
/// that more than `patience` others precede fires if its objective is above the lowest of those,
/// the latest `patience` left out.
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
    v.field("patience", patience, "latest validations that are left out of the comparison",
            at_least(1));
  }
};

}  // namespace

void add_non_monotonic(Choices<Trigger>& triggers) {
  add_component<NonMonotonicTrigger>(
      triggers, "non_monotonic",
      "a validation is worse than the best of those before the latest `patience`");
}

}  // namespace lvtext
