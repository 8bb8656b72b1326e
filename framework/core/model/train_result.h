// Results of training.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/schedule.h"

namespace lvtext {

/// Result of training a model. The model has the selected weights.
struct TrainResult {
  int64_t steps = 0;
  std::string stopped_by;            ///< "50e", or the name of a condition: "patience"
  int64_t last_step = 0;             ///< step of the last weights (averaged if so configured)
  std::optional<int64_t> best_step;  ///< step of the lowest validation objective
  double best_objective = 0;
  int64_t selected_step = 0;  ///< step chosen by options.select_checkpoint
  int64_t skipped = 0;        ///< steps without update, because a loss or gradient was not finite
  int64_t undefined_validations = 0;  ///< validations whose objective is not finite
  double seconds = 0;                 ///< training time, over all restarts
  /// The steps kept by options.keep.checkpoints; nullopt if the option was not set from the start.
  std::optional<std::vector<int64_t>> kept_checkpoints;
};

/// Result of training in memory, without files.
struct MemoryTraining {
  TrainResult result;
  std::vector<Evaluation> evaluations;  ///< all validations
  /// The weights kept by options.keep.checkpoints, on the CPU, by step and name.
  std::map<int64_t, std::map<std::string, at::Tensor>> kept_checkpoints;
};

}  // namespace lvtext
