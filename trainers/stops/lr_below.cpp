#include "trainers/stop_condition.h"

namespace lvtext {
namespace {

/// Holds if all learning rates of the next update are below `value`; never during a warm-up.
struct LrBelowStop : StopCondition {
  double value = 0;

  bool holds(const StopState& state) const override { return state.lr && *state.lr < value; }

  template <class V>
  void visit(V& v) {
    v.field("value", value, "learning-rate threshold", required(), above(0));
  }
};

}  // namespace

void add_lr_below(Choices<StopCondition>& conditions) {
  add_component<LrBelowStop>(conditions, "lr_below",
                             "stops when the learning rates of all optimizers are below `value`");
}

}  // namespace lvtext
