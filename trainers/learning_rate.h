// Learning rates as pure functions of the state of training.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/core/model/trainer_state.h"
#include "trainers/options.h"
#include "trainers/run_length.h"

namespace lvtext {

/// Learning rate of the next update.
double learning_rate(const OptimizerOptions& options, const TrainerState& state,
                     const RunLength& length);

/// True if the next update is within the warm-up.
bool is_warming_up(const OptimizerOptions& options, const TrainerState& state,
                   const RunLength& length);

/// Number of consecutive validations, up to the latest, without an objective below all earlier
/// ones; a value that is not finite is no improvement.
int64_t validations_without_gain(const std::vector<Evaluation>& evaluations);
/// The evaluation with the lowest objective, the earliest on ties; null if none is finite.
const Evaluation* best_evaluation(const std::vector<Evaluation>& evaluations);

}  // namespace lvtext
