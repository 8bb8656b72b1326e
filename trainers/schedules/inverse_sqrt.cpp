#include <algorithm>
#include <cmath>

#include "trainers/lr_schedule.h"

namespace lvtext {
namespace {

/// lr sqrt(max(w, 1) / t) after t updates with w warm-up updates (Vaswani et al. 2017).
struct InverseSqrtSchedule : LrSchedule {
  double rate(const LrState& state) const override {
    const double start = std::max(state.warmup, 1.0);
    return state.lr * std::sqrt(start / std::max(state.at, start));
  }

  template <class V>
  void visit(V& v) {
    visit_warmup(v);
  }
};

}  // namespace

void add_inverse_sqrt(Choices<LrSchedule>& schedules) {
  add_component<InverseSqrtSchedule>(schedules, "inverse_sqrt",
                                     "decay by 1 / sqrt(updates) after the warm-up");
}

}  // namespace lvtext
