// Interface of triggers, which change an optimizer's behavior depending on past validations. A
// trigger can replace a number of updates. trainers/triggers.cpp has them.
#pragma once

#include <vector>

#include "framework/core/model/schedule.h"
#include "framework/core/options/choice.h"

namespace lvtext {

/// Changes an optimizer's behavior once, when validations meet its condition. The trainer calls
/// fired() at every update of an optimizer that has a trigger.
struct Trigger {
  static constexpr const char* kKind = "trigger";
  static Choices<Trigger>& components();

  Trigger() = default;
  Trigger(const Trigger&) = default;
  Trigger& operator=(const Trigger&) = default;
  virtual ~Trigger() = default;

  /// True once the trigger has fired at the latest or an earlier validation. `evaluations`: all
  /// validations so far, in order. Must be a pure function of them, because it is not saved.
  virtual bool fired(const std::vector<Evaluation>& evaluations) const = 0;
};

}  // namespace lvtext
