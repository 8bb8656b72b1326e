#include <cmath>
#include <numbers>

#include "trainers/lr_schedule.h"

namespace lvtext {
namespace {

/// lr (1 + cos(pi (t - w) / (T - w))) / 2 after t of T updates with w warm-up updates
/// (Loshchilov and Hutter 2017, without restarts).
struct CosineSchedule : LrSchedule {
  double rate(const LrState& state) const override {
    return state.lr * 0.5 * (1 + std::cos(std::numbers::pi * (1 - state.left())));
  }
  bool needs_end() const override { return true; }

  template <class V>
  void visit(V& v) {
    visit_warmup(v);
  }
};

}  // namespace

void add_cosine(Choices<LrSchedule>& schedules) {
  add_component<CosineSchedule>(schedules, "cosine", "half-cosine decay to 0 at the planned end");
}

}  // namespace lvtext
