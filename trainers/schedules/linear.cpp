#include "trainers/lr_schedule.h"

namespace lvtext {
namespace {

/// lr (T - t) / (T - w) after t of T updates with w warm-up updates
/// (get_linear_schedule_with_warmup of transformers).
struct LinearSchedule : LrSchedule {
  double rate(const LrState& state) const override { return state.lr * state.left(); }
  bool needs_end() const override { return true; }

  template <class V>
  void visit(V& v) {
    visit_warmup(v);
  }
};

}  // namespace

void add_linear(Choices<LrSchedule>& schedules) {
  add_component<LinearSchedule>(schedules, "linear", "linear decay to 0 at the planned end");
}

}  // namespace lvtext
