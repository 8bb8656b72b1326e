// Metrics of a training run, for the display of its progress.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "framework/core/model/trainer_state.h"

namespace lvtext {

struct TrainerMetrics {
  /// Values of the latest step.
  std::map<std::string, double> terms;          ///< mean under "phase/term"
  std::map<std::string, double> gradient_norm;  ///< before clipping, by "phase/optimizer"
  std::map<std::string, double> lr;             ///< by optimizer

  std::optional<int64_t> planned;      ///< total updates; none for a stop in wall-clock time
  double tokens_per_second = 0;        ///< since this process started or resumed the run
  uint64_t memory_bytes = 0;           ///< peak: resident, or allocated on CUDA
  std::optional<double> seconds_left;  ///< estimated
};

using ProgressCallback = std::function<void(const TrainerState&, const TrainerMetrics&)>;

}  // namespace lvtext
