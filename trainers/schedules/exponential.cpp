#include <cmath>

#include "trainers/lr_schedule.h"

namespace lvtext {
namespace {

/// lr factor^(t / E) after t updates with E updates per epoch. Equals
/// torch.optim.lr_scheduler.ExponentialLR at the ends of epochs and interpolates smoothly between
/// them. For a constant rate within each epoch, use `step` with `every: 1e`.
struct ExponentialSchedule : LrSchedule {
  double factor = 1;

  double rate(const LrState& state) const override {
    return state.lr * std::pow(factor, state.at / state.updates_per_epoch);
  }

  template <class V>
  void visit(V& v) {
    visit_warmup(v);
    v.field("factor", factor, "factor by which the rate changes over one epoch", required(),
            above(0), at_most(1));
  }
};

}  // namespace

void add_exponential(Choices<LrSchedule>& schedules) {
  add_component<ExponentialSchedule>(schedules, "exponential",
                                     "smooth decay by `factor` per epoch");
}

}  // namespace lvtext
