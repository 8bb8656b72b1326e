// Learning rates and periods as pure functions of training progress.
#pragma once

#include <cstdint>
#include <optional>

#include "framework/core/model/schedule.h"
#include "trainers/options.h"

namespace lvtext {

/// Progress of a run in every unit of Period.
struct Position {
  double updates = 0;
  double epochs = 0;
  double tokens = 0;
  double seconds = 0;
  double in(Period::Unit unit) const;
};

/// True once `position` is at or beyond `period`.
bool reached(const Period& period, const Position& position);
/// True if the interval (before, after] contains a multiple of `period`.
bool crossed(const Period& period, const Position& before, const Position& after);

/// Length of a run, which learning-rate schedules depend on besides progress.
struct RunLength {
  std::optional<int64_t> planned;  ///< total updates
  double updates_per_epoch = 1;
};

/// Learning rate of the next update.
double learning_rate(const OptimizerOptions& options, const Progress& progress,
                     const RunLength& length);

/// True if the next update is within the warm-up.
bool is_warming_up(const OptimizerOptions& options, const Progress& progress,
                   const RunLength& length);

/// Number of consecutive validations, up to the latest, without an objective below all earlier
/// ones; NaN is no improvement.
int64_t validations_without_gain(const std::vector<Evaluation>& evaluations);
/// The evaluation with the lowest objective, the earliest on ties; null if all are NaN.
const Evaluation* best_evaluation(const std::vector<Evaluation>& evaluations);

}  // namespace lvtext
