// What switches an optimizer's behavior by the history of a training: the family of components that
// may stand in place of a number of updates, one file each in trainers/triggers/.
#pragma once

#include <vector>

#include "framework/core/model/schedule.h"
#include "framework/core/options/choice.h"

namespace lvtext {

struct Trigger {
  static constexpr const char* kKind = "trigger";
  static Choices<Trigger>& components();

  Trigger() = default;
  Trigger(const Trigger&) = default;
  Trigger& operator=(const Trigger&) = default;
  virtual ~Trigger() = default;

  /// True from the validation on at which it fires.
  virtual bool fired(const std::vector<Evaluation>& evaluations) const = 0;
};

}  // namespace lvtext
