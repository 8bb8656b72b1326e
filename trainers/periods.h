// Periods of the training options ("500u", "1e", "10min"), measured on the state of training.
#pragma once

#include "framework/core/model/trainer_state.h"
#include "framework/core/options/period.h"

namespace lvtext {

/// True once `state` is at or beyond `period`.
bool reached(const Period& period, const TrainerState& state);

/// Reports when training passes multiples of a period.
class PeriodicEvent {
 public:
  explicit PeriodicEvent(const Period& period) : period_(period) {}
  /// Sets the state that due() compares with first; by default that of step 0.
  void restart(const TrainerState& state);
  /// True if training passed a multiple of the period since the previous call or restart().
  bool due(const TrainerState& state);

 private:
  Period period_;
  double passed_ = 0;  ///< multiples of the period up to the previous call
};

}  // namespace lvtext
