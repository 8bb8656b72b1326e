#include "trainers/periods.h"

#include <cmath>

namespace lvtext {
namespace {

double amount_of(const TrainerState& state, Period::Unit unit) {
  switch (unit) {
    case Period::Unit::kUpdates: return static_cast<double>(state.step);
    case Period::Unit::kEpochs: return state.passes;
    case Period::Unit::kTokens: return static_cast<double>(state.tokens);
    case Period::Unit::kSeconds: return state.seconds;
  }
  return 0;
}

}  // namespace

bool reached(const Period& period, const TrainerState& state) {
  return amount_of(state, period.unit) >= period.amount;
}

void PeriodicEvent::restart(const TrainerState& state) {
  passed_ = std::floor(amount_of(state, period_.unit) / period_.amount);
}

bool PeriodicEvent::due(const TrainerState& state) {
  const double before = passed_;
  restart(state);
  return passed_ > before;
}

}  // namespace lvtext
