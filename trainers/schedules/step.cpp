#include <cmath>

#include "trainers/lr_schedule.h"

namespace lvtext {
namespace {

/// lr factor^floor(t / every) after t updates (torch.optim.lr_scheduler.StepLR).
struct StepSchedule : LrSchedule {
  Period every = Period::epochs(1);
  double factor = 0.1;

  double rate(const LrState& state) const override {
    // updates_per_epoch may be fractional; the tolerance keeps rounding from missing an epoch end.
    return state.lr * std::pow(factor, std::floor(state.at / state.updates(every) + 1e-9));
  }

  template <class V>
  void visit(V& v) {
    visit_warmup(v);
    v.field("every", every, "interval between rate changes, in updates or epochs", required(),
            above(0));
    v.field("factor", factor, "factor by which the rate changes", above(0), at_most(1));
    v.check(is_updates_or_epochs(every),
            "every must be a number of updates or epochs, such as 20e");
  }
};

}  // namespace

void add_step(Choices<LrSchedule>& schedules) {
  add_component<StepSchedule>(schedules, "step", "decay by `factor` every `every`");
}

}  // namespace lvtext
