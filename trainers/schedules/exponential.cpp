#include <cmath>

#include "trainers/lr_schedule.h"

namespace lvtext {
namespace {

/// lr factor^(t / E) after t updates of E per epoch: at the ends of epochs the rates of
/// torch.optim.lr_scheduler.ExponentialLR, and a smooth curve between them. With the rate constant
/// within an epoch it is `step` with `every: 1e`.
struct ExponentialSchedule : LrSchedule {
  double factor = 1;

  double rate(const LrState& state) const override {
    return state.lr * std::pow(factor, state.at / state.updates_per_epoch);
  }

  template <class V>
  void visit(V& v) {
    visit_warmup(v);
    v.field("factor", factor, "multiplies the rate over each epoch", required(), above(0),
            at_most(1));
  }
};

}  // namespace

void add_exponential(Choices<LrSchedule>& schedules) {
  add_component<ExponentialSchedule>(schedules, "exponential",
                                     "falls smoothly by `factor` over each epoch");
}

}  // namespace lvtext
