// Interface of learning-rate schedules, the components of `optimizers.*.schedule`, which
// trainers/lr_schedules.cpp has.
#pragma once

#include <optional>
#include <vector>

#include "framework/core/model/schedule.h"
#include "framework/core/options/choice.h"

namespace lvtext {

/// Input of a schedule besides its options. Lengths are in updates on the scale of
/// `schedule_length`.
struct LrState {
  double lr = 0;                 ///< base learning rate of the optimizer
  double at = 0;                 ///< number of completed updates
  double warmup = 0;             ///< length of the warm-up
  double end = 0;                ///< planned end of training; if unknown, end of the warm-up
  double updates_per_epoch = 1;  ///< in this run
  const std::vector<Evaluation>& evaluations;

  /// Converts a period in updates or epochs to updates.
  double updates(const Period& period) const {
    return period.unit == Period::Unit::kEpochs ? period.amount * updates_per_epoch : period.amount;
  }
  /// Remaining fraction of the updates between warm-up and end, from 1 to 0.
  double left() const;
};

/// A learning-rate schedule. During the warm-up, the rate rises linearly to the optimizer's base
/// rate; afterwards, rate() applies.
struct LrSchedule {
  static constexpr const char* kKind = "schedule";
  static Choices<LrSchedule>& components();

  LrSchedule() = default;
  LrSchedule(const LrSchedule&) = default;
  LrSchedule& operator=(const LrSchedule&) = default;
  virtual ~LrSchedule() = default;

  /// The learning rate of the next update, after the warm-up.
  virtual double rate(const LrState& state) const = 0;
  /// True if the rate depends on the planned end of the training.
  virtual bool needs_end() const { return warmup_ratio.has_value(); }
  /// True if the rate depends on the objectives of validations.
  virtual bool compares_validations() const { return false; }

  std::optional<Period> warmup;
  std::optional<double> warmup_ratio;

 protected:
  /// Visits the fields that all schedules share.
  template <class V>
  void visit_warmup(V& v) {
    v.field("warmup", warmup, "length of the linear warm-up from 0, in updates or epochs");
    v.field("warmup_ratio", warmup_ratio,
            "length of the linear warm-up from 0, as a fraction of the planned updates", above(0),
            below(1));
    v.check(!warmup || is_updates_or_epochs(*warmup),
            "warmup must be a number of updates or epochs, such as 500u or 1e");
    v.check(!(warmup && warmup_ratio), "warmup and warmup_ratio are mutually exclusive");
  }
  static bool is_updates_or_epochs(const Period& period) {
    return period.unit == Period::Unit::kUpdates || period.unit == Period::Unit::kEpochs;
  }
};

}  // namespace lvtext
