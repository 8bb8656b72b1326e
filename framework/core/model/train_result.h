// What a training ends with.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/schedule.h"

namespace lvtext {

/// How a training ended. The model then holds the selected weights.
struct TrainResult {
  int64_t steps = 0;
  std::string stopped_by;            ///< "50e", or the name of a condition: "patience"
  int64_t last_step = 0;             ///< whose weights are the last (averaged ones if asked for)
  std::optional<int64_t> best_step;  ///< of the lowest validation objective
  double best_objective = 0;
  int64_t selected_step = 0;  ///< the one that options.select_checkpoint chose
  double seconds = 0;         ///< of training, over all restarts
  /// The steps that options.keep.checkpoints kept; none if unset, or not from the start on.
  std::optional<std::vector<int64_t>> kept_checkpoints;
};

/// A training that left no files.
struct MemoryTraining {
  TrainResult result;
  std::vector<Evaluation> evaluations;  ///< all validations
  /// The weights that options.keep.checkpoints kept, on the CPU, by step and name.
  std::map<int64_t, std::map<std::string, at::Tensor>> kept_checkpoints;
};

}  // namespace lvtext
