// Numbers that depend on the state of training: weights of loss terms, noise levels.
#pragma once

#include <functional>
#include <utility>

#include "framework/core/model/trainer_state.h"

namespace lvtext {

/// A number as a pure function of the trainer's state, such as a term's weight or a noise level.
using Schedule = std::function<double(const TrainerState&)>;

/// Factor of a loss term: a number or a schedule; converts implicitly from both.
class TermWeight {
 public:
  // NOLINTBEGIN(google-explicit-constructor): terms are declared as `.weight = 0.5`.
  TermWeight(double number) : number_(number) {}
  TermWeight(Schedule schedule) : schedule_(std::move(schedule)) {}
  // NOLINTEND(google-explicit-constructor)

  /// The weight of the next update.
  double at(const TrainerState& state) const { return schedule_ ? schedule_(state) : number_; }

 private:
  double number_ = 0;
  Schedule schedule_;
};

}  // namespace lvtext
