#include "trainers/lr_schedule.h"

namespace lvtext {
namespace {

struct ConstantSchedule : LrSchedule {
  double rate(const LrState& state) const override { return state.lr; }

  template <class V>
  void visit(V& v) {
    visit_warmup(v);
  }
};

}  // namespace

void add_constant(Choices<LrSchedule>& schedules) {
  add_component<ConstantSchedule>(schedules, "constant", "constant learning rate");
}

}  // namespace lvtext
