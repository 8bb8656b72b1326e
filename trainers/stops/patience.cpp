#include "trainers/learning_rate.h"
#include "trainers/stop_condition.h"

namespace lvtext {
namespace {

/// Early stopping (Prechelt 1998): the latest `validations` validations in a row had no objective
/// below all earlier ones.
struct PatienceStop : StopCondition {
  int64_t validations = 1;

  bool holds(const StopState& state) const override {
    return validations_without_gain(state.evaluations) >= validations;
  }
  bool compares_validations() const override { return true; }

  template <class V>
  void visit(V& v) {
    v.field("validations", validations, "as many in a row without gain", required(), at_least(1));
  }
};

}  // namespace

void add_patience(Choices<StopCondition>& conditions) {
  add_component<PatienceStop>(conditions, "patience", "validations do not improve");
}

}  // namespace lvtext
