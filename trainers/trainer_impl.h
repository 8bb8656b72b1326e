// The trainer's inside, shared by its source files.
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

/// planned_updates() with what else schedules need.
RunLength run_length(const Trainable& model, const TrainOptions& options,
                     const DataLoaders& streams);
/// The device of `options`, with the memory of this process set up for training.
at::Device prepare_device(const TrainOptions& options);

struct Trainer::Impl {
  using Clock = std::chrono::steady_clock;

  Impl(std::shared_ptr<Trainable> model_in, const TrainOptions& options_in, DataLoaders streams_in,
       DataLoaders validation_in, Host& host_in);

  // trainer.cpp
  void check_streams() const;
  /// Throws ConfigError if validations are compared that have no objective.
  void check_objective() const;
  void step();
  void validate_if_due();
  std::optional<std::string> stop_reason() const;
  Position position() const;
  double seconds() const;
  Evaluation evaluate();

  // trainer_weights.cpp
  void update_ema();
  /// Weights that are evaluated and selected in place of the trained ones, by parameter name.
  TensorMap averaged_weights() const;
  void keep_checkpoint();
  void keep_validated(bool is_best);
  std::vector<int64_t> wanted_weights() const;
  /// options.keep.checkpoints as text; empty: unset.
  std::string kept_every() const;
  /// Writes the averages that the options ask for into the model.
  void take_averages();
  /// All validations, one of the weights at hand included.
  std::vector<Evaluation> final_evaluations();
  TrainResult finish(const std::string& reason);

  // trainer_checkpoint.cpp
  void resume();
  void save();
  /// Unless the present state is saved already.
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
  std::string leading;  ///< the stream whose passes are epochs
  TensorMap ema;        ///< by parameter name; empty: off
  SkipBudget skips;
  std::set<std::string> warned;  ///< ids of warnings that were printed
  LogMeans means;
  std::unique_ptr<StepRunner> runner;
  bool validation_due = false;
  std::vector<int64_t> kept;  ///< steps of kept checkpoints
  bool all_kept = true;       ///< from the start on
  std::vector<int64_t> averaged;
  std::vector<int64_t> wanted_before;  ///< weights that the previous checkpoint needs
  double seconds_before = 0;
  Clock::time_point started = Clock::now();
  Clock::time_point saved = Clock::now();
  int64_t saved_step = -1;
  /// What rates are counted from.
  struct Mark {
    int64_t step = 0;
    int64_t tokens = 0;
    double seconds = 0;
  };
  Mark begun;   ///< when this process started or resumed
  Mark logged;  ///< at the last line of the log
  Clock::time_point reported{};
  bool resumed = false;
  bool updating = false;  ///< within a step's phases, where nothing may be saved
};

}  // namespace lvtext
