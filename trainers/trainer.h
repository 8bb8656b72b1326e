// The one training loop. It owns optimizers, precision, accumulation, clipping, schedules,
// validation, checkpoints and logging; models declare phases and return sums.
//
//   FolderHost host(run_folder, {.keep_last = options.keep.last}, resolved_recipe);
//   Trainer trainer(model, options, {{"train", train_stream}}, {{"train", valid_stream}}, host);
//   const TrainResult result = trainer.train();   // resumes by itself
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/data_loader.h"
#include "framework/core/model/train_result.h"
#include "framework/core/model/trainable.h"
#include "trainers/host.h"
#include "trainers/options.h"

namespace lvtext {

/// Parameters (by the names in their groups) and buffers: what model.safetensors holds. The tensors
/// are the model's own. Throws std::logic_error if two have the same name.
TensorMap model_tensors(Trainable& model);

/// True if a longer training is another training from its first update on: scaled schedules, or a
/// learning rate that is written for the end.
bool depends_on_end(const TrainOptions& options);

/// Updates that `options.stop` plans with these streams; none if the clock decides. Throws
/// ConfigError if schedule_length or a learning rate that needs the end meets a stop in minutes.
std::optional<int64_t> planned_updates(const Trainable& model, const TrainOptions& options,
                                       const DataLoaders& streams);

/// Trains one model. Everything is a function of options and streams: killed and resumed runs end
/// bit for bit where an undisturbed one does (same machine and thread count).
class Trainer {
 public:
  /// Moves the model to the device of `options`. `validation` holds the streams of validation under
  /// the same names; phases that draw from others are not validated. Empty: no validation.
  /// Throws ConfigError for options that do not fit the model (unknown optimizer names,
  /// accumulation of terms that do not split, validations compared where they have no
  /// objective), std::logic_error for a model that breaks its
  /// contract (a parameter in no group or in two, an unknown group).
  Trainer(std::shared_ptr<Trainable> model, const TrainOptions& options, DataLoaders streams,
          DataLoaders validation, Host& host);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// Continues from the host's newest checkpoint, or starts, and trains until the stop rule holds.
  /// Throws Interrupted after saving if a stop was requested; DataError if the checkpoint does not
  /// fit the model, naming the tensors; Error (1) if a loss or gradient is not finite.
  TrainResult train();

  /// The host's newest checkpoint, if any, is loaded; else the state is that of step 0.
  void resume();
  /// One step and what is due after it (log, validation, checkpoint). For tests and benchmarks.
  void step();
  /// Writes a checkpoint of the present state.
  void save();
  /// Mean of every term on the validation streams, and the objective.
  Evaluation validate();
  const Progress& progress() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lvtext
