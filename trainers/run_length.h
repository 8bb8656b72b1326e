// The length of a training run in updates.
#pragma once

#include <cstdint>
#include <optional>

#include "framework/core/model/data_loader.h"
#include "framework/core/model/trainable.h"
#include "trainers/options.h"

namespace lvtext {

/// Length of a run, which learning-rate schedules depend on.
struct RunLength {
  std::optional<int64_t> planned;  ///< total updates; none for a stop in wall-clock time
  double updates_per_epoch = 1;
};

/// Computes the length of a run until `options.stop` with these streams. Throws ConfigError if
/// schedule_length or a learning rate that depends on the end is combined with a stop in wall-clock
/// time.
RunLength run_length(const Trainable& model, const TrainOptions& options,
                     const DataLoaders& streams);

/// True if the planned length affects training from the first update on: with scaled schedules, or
/// a learning rate that depends on the end.
bool depends_on_end(const TrainOptions& options);

}  // namespace lvtext
