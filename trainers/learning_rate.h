// Learning rates and periods: pure functions of progress.
#pragma once

#include <cstdint>
#include <optional>

#include "framework/core/model/schedule.h"
#include "trainers/options.h"

namespace lvtext {

/// How far a run is, in every unit that periods have.
struct Position {
  double updates = 0;
  double epochs = 0;
  double tokens = 0;
  double seconds = 0;
  double in(Period::Unit unit) const;
};

/// True once `position` is at or beyond `period`.
bool reached(const Period& period, const Position& position);
/// True if a multiple of `period` lies in (before, after].
bool crossed(const Period& period, const Position& before, const Position& after);

/// What a run's learning rates are scaled by besides progress.
struct RunLength {
  std::optional<int64_t> planned;  ///< updates in all
  double updates_per_epoch = 1;
};

/// Learning rate of the next update.
double learning_rate(const OptimizerOptions& options, const Progress& progress,
                     const RunLength& length);

/// True while the rate of the next update is one of the warm-up.
bool is_warming_up(const OptimizerOptions& options, const Progress& progress,
                   const RunLength& length);

/// Validations in a row, up to the latest, whose objective was not below all earlier ones; a value
/// that is not a number is no gain.
int64_t validations_without_gain(const std::vector<Evaluation>& evaluations);
/// The evaluation of the lowest objective, the earlier one of equals; none if all are not numbers.
const Evaluation* best_evaluation(const std::vector<Evaluation>& evaluations);

}  // namespace lvtext
