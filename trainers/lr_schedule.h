// Learning-rate schedules: the family of components that `optimizers.*.schedule` selects from, one
// file each in trainers/schedules/.
#pragma once

#include <optional>
#include <vector>

#include "framework/core/model/schedule.h"
#include "framework/core/options/choice.h"

namespace lvtext {

/// What a schedule depends on besides its options. Lengths are in updates, in the units that
/// schedules are written in (`schedule_length`).
struct LrState {
  double lr = 0;                 ///< the optimizer's own rate
  double at = 0;                 ///< updates made
  double warmup = 0;             ///< updates of the warm-up
  double end = 0;                ///< planned end; without one, that of the warm-up
  double updates_per_epoch = 1;  ///< of this run
  const std::vector<Evaluation>& evaluations;

  /// A length of updates or epochs in updates.
  double updates(const Period& period) const {
    return period.unit == Period::Unit::kEpochs ? period.amount * updates_per_epoch : period.amount;
  }
  /// The share of the way from the warm-up to the end that is left, 1 to 0.
  double left() const;
};

/// One schedule. In the warm-up the rate rises linearly to the optimizer's own; from its end on it
/// is what the schedule says.
struct LrSchedule {
  static constexpr const char* kKind = "schedule";
  static Choices<LrSchedule>& components();

  LrSchedule() = default;
  LrSchedule(const LrSchedule&) = default;
  LrSchedule& operator=(const LrSchedule&) = default;
  virtual ~LrSchedule() = default;

  /// The learning rate of the next update, after the warm-up.
  virtual double rate(const LrState& state) const = 0;
  /// True if the rate is written for the planned end of the training.
  virtual bool needs_end() const { return warmup_ratio.has_value(); }
  /// True if the rate depends on the objectives of validations.
  virtual bool compares_validations() const { return false; }

  std::optional<Period> warmup;
  std::optional<double> warmup_ratio;

 protected:
  /// The fields that every schedule has.
  template <class V>
  void visit_warmup(V& v) {
    v.field("warmup", warmup, "linear rise from 0, in updates or epochs");
    v.field("warmup_ratio", warmup_ratio, "linear rise from 0, as a share of the planned updates",
            above(0), below(1));
    v.check(!warmup || is_updates_or_epochs(*warmup),
            "warmup is a number of updates or epochs, such as 500u or 1e");
    v.check(!(warmup && warmup_ratio), "warmup and warmup_ratio exclude each other");
  }
  static bool is_updates_or_epochs(const Period& period) {
    return period.unit == Period::Unit::kUpdates || period.unit == Period::Unit::kEpochs;
  }
};

}  // namespace lvtext
