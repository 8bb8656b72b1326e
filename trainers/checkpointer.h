// Checkpoints of a training run: the full state, saved and restored.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "framework/core/model/data_loader.h"
#include "framework/core/model/trainer_state.h"
#include "trainers/batch_prefetcher.h"
#include "trainers/host.h"
#include "trainers/layout.h"
#include "trainers/log_means.h"
#include "trainers/nonfinite.h"
#include "trainers/optimizer.h"
#include "trainers/periods.h"
#include "trainers/weight_keeper.h"

namespace lvtext {

/// What a checkpoint contains besides TrainerState; owned by the trainer.
struct CheckpointedParts {
  Trainable& model;
  const Layout& layout;
  const TrainOptions& options;
  at::Device device;
  const DataLoaders& streams;
  std::map<std::string, Optimizer>& optimizers;
  std::map<std::string, BatchPrefetcher>& prefetchers;
  LogMeans& means;
  SkipBudget& skips;
  WeightKeeper& weights;
};

class Checkpointer {
 public:
  Checkpointer(const CheckpointedParts& parts, Host& host);

  /// Loads the host's newest checkpoint; without one, nothing changes. Throws DataError that lists
  /// what does not match the model or the options.
  void restore(TrainerState& state);
  /// Writes a checkpoint and removes weights that are no longer needed. Throws Error (1) without
  /// writing if a weight is not finite.
  void save(const TrainerState& state);
  /// Saves unless this state is already saved.
  void save_if_new(const TrainerState& state);
  /// True if `options.save_every` requires a checkpoint now. To be called after each step.
  bool due(const TrainerState& state);

 private:
  using Clock = std::chrono::steady_clock;
  void load(const Checkpoint& checkpoint, TrainerState& state);

  CheckpointedParts parts_;
  Host& host_;
  PeriodicEvent event_;
  Clock::time_point saved_ = Clock::now();
  std::pair<int64_t, bool> saved_state_ = {-1, false};  ///< step, its validation is due
};

/// The steps that the newest checkpoint in `checkpoints` has completed: without its last one if the
/// validation after it is still due, because a stop signal arrived before or during it. None
/// without a checkpoint. The checkpoint is not verified.
std::optional<int64_t> completed_steps(const std::filesystem::path& checkpoints);

/// One prefetcher for each stream, at its cursor or at the start.
std::map<std::string, BatchPrefetcher> start_prefetchers(
    const DataLoaders& streams, const std::map<std::string, Cursor>& cursors = {});

}  // namespace lvtext
