// Private implementation of Trainer, shared by its source files.
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "framework/core/tensor/compute_mode.h"
#include "trainers/state.h"
#include "trainers/step.h"
#include "trainers/trainer.h"

namespace lvtext {

/// Computes planned_updates() and updates_per_epoch for schedules.
RunLength run_length(const Trainable& model, const TrainOptions& options,
                     const DataLoaders& streams);
/// Returns the device of `options` and configures the allocator of this process for training.
at::Device prepare_device(const TrainOptions& options);

struct Trainer::Impl {
  using Clock = std::chrono::steady_clock;

  Impl(std::shared_ptr<Trainable> model_in, const TrainOptions& options_in, DataLoaders streams_in,
       DataLoaders validation_in, Host& host_in);

  // trainer.cpp
  void check_streams() const;
  /// Throws ConfigError if options compare validations but the model has no objective.
  void check_objective() const;
  void step();
  void validate_if_due();
  std::optional<std::string> stop_reason() const;
  Position position() const;
  double seconds() const;
  Evaluation evaluate();

  // trainer_weights.cpp
  void update_ema();
  /// Averages that replace the trained weights for evaluation and selection, by parameter name.
  TensorMap averaged_weights() const;
  void keep_checkpoint();
  void keep_validated(bool is_best);
  std::vector<int64_t> wanted_weights() const;
  /// options.keep.checkpoints as text; empty: unset.
  std::string kept_every() const;
  /// Copies the averages requested by the options into the model.
  void take_averages();
  /// All validations, including one of the current weights.
  std::vector<Evaluation> final_evaluations();
  TrainResult finish(const std::string& reason);

  // trainer_checkpoint.cpp
  void resume();
  void save();
  /// Saves unless the current state is already saved.
  void save_if_new();
  RunState run_state() const;
  void start_feeders(const std::map<std::string, Cursor>& cursors);

  // trainer_report.cpp
  void log_training();
  void log_validation(const Evaluation& evaluation, bool best);
  void report_progress();

  std::shared_ptr<Trainable> model;
  TrainOptions options;
  DataLoaders streams;
  DataLoaders validation;
  Host& host;
  at::Device device;
  ComputeMode mode;
  Layout layout;
  RunLength length;
  Progress progress;
  std::map<std::string, Optimizer> optimizers;
  std::map<std::string, BatchPrefetcher> feeders;
  std::string leading;  ///< leading_stream(): defines epochs
  TensorMap ema;        ///< by parameter name; empty: off
  SkipBudget skips;
  std::set<std::string> warned;  ///< ids of warnings that were printed
  LogMeans means;
  std::unique_ptr<StepRunner> runner;
  bool validation_due = false;
  std::vector<int64_t> kept;  ///< steps of kept checkpoints
  bool all_kept = true;       ///< since step 0
  std::vector<int64_t> averaged;
  std::vector<int64_t> wanted_before;  ///< steps of weights that the previous checkpoint needs
  double seconds_before = 0;
  Clock::time_point started = Clock::now();
  Clock::time_point saved = Clock::now();
  int64_t saved_step = -1;
  /// Start of an interval for throughput computation.
  struct Mark {
    int64_t step = 0;
    int64_t tokens = 0;
    double seconds = 0;
  };
  Mark begun;   ///< when this process started or resumed
  Mark logged;  ///< at the last log line
  Clock::time_point reported{};
  bool resumed = false;
  bool updating = false;  ///< within the phases of a step, where no checkpoint may be written
};

}  // namespace lvtext
