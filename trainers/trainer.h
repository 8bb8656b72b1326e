// The training loop of all models. It handles optimizers, precision, gradient accumulation,
// clipping, schedules, validation, checkpoints and logging; models declare phases and return loss
// sums.
//
//   FolderHost host(run_folder, {.keep_last = options.keep.last}, recipe);
//   Trainer trainer(model, options, {{"train", train_stream}}, {{"train", valid_stream}}, host);
//   const TrainResult result = trainer.train();   // resumes automatically
#pragma once

#include <memory>

#include "framework/core/model/data_loader.h"
#include "framework/core/model/train_result.h"
#include "framework/core/model/trainable.h"
#include "trainers/host.h"
#include "trainers/options.h"

namespace lvtext {

/// Trains one model. The result is a function of options and streams: killed and resumed runs match
/// an uninterrupted run bit for bit (on the same machine with the same number of threads).
class Trainer {
 public:
  /// Moves the model to the device of `options`. `validation`: validation streams under the same
  /// names; phases that draw from other streams are not validated; empty: no validation.
  /// Throws ConfigError for options that do not fit the model (unknown optimizer names, gradient
  /// accumulation with terms that do not support it, comparison of validations without an
  /// objective), std::logic_error for a model that violates its contract (a parameter in no group
  /// or in two, an unknown group).
  Trainer(std::shared_ptr<Trainable> model, const TrainOptions& options, DataLoaders streams,
          DataLoaders validation, Host& host);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// Resumes from the host's newest checkpoint, if any, and trains until the stop rule holds.
  /// Throws Interrupted after saving if a stop was requested, Paused likewise from step `pause_at`
  /// on unless the stop rule holds there; DataError that lists the tensors if
  /// the checkpoint does not match the model; Error (1) if a loss or gradient is not finite, or the
  /// validation of the selected weights.
  TrainResult train(std::optional<int64_t> pause_at = std::nullopt);

  /// Loads the host's newest checkpoint; without one, the state is that of step 0.
  void resume();
  /// Runs one step and the log, validation and checkpoint that are due. For tests and benchmarks.
  void step();
  /// Writes a checkpoint of the current state.
  void save();
  /// Computes the mean of every term on the validation streams, and the objective.
  Evaluation validate();
  const TrainerState& state() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lvtext
