#include "trainers/learning_rate.h"
#include "trainers/stop_condition.h"

namespace lvtext {
namespace {

/// Early stopping (Prechelt 1998): holds if the latest `validations` consecutive validations had no
/// objective below all earlier ones.
struct PatienceStop : StopCondition {
  int64_t validations = 1;

  bool holds(const StopState& state) const override {
    return validations_without_gain(state.evaluations) >= validations;
  }
  bool compares_validations() const override { return true; }

  template <class V>
  void visit(V& v) {
    v.field("validations", validations, "number of consecutive validations without improvement",
            required(), at_least(1));
  }
};

}  // namespace

void add_patience(Choices<StopCondition>& conditions) {
  add_component<PatienceStop>(conditions, "patience", "stops when validations do not improve");
}

}  // namespace lvtext
