#include <algorithm>
#include <optional>

#include "trainers/lr_schedule.h"

namespace lvtext {
namespace {

/// lr (T - t) / (T - w) after t of T updates with w warm-up updates
/// (get_linear_schedule_with_warmup of transformers). With `constant` c, lr min(1, (T - t) / ((1 -
/// c) (T - w))).
struct LinearSchedule : LrSchedule {
  std::optional<double> constant;

  double rate(const LrState& state) const override {
    return state.lr * std::min(1.0, state.left() / (1 - constant.value_or(0)));
  }
  bool needs_end() const override { return true; }

  template <class V>
  void visit(V& v) {
    visit_warmup(v);
    v.field("constant", constant,
            "share of the updates after the warm-up before the decay starts (unset: none)",
            above(0), below(1));
  }
};

}  // namespace

void add_linear(Choices<LrSchedule>& schedules) {
  add_component<LinearSchedule>(schedules, "linear", "linear decay to 0 at the planned end");
}

}  // namespace lvtext
