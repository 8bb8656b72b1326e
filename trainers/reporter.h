// Logs, curves and the progress display of a training run.
#pragma once

#include <chrono>
#include <set>
#include <string>

#include "framework/core/model/trainable.h"
#include "trainers/host.h"
#include "trainers/log_means.h"
#include "trainers/metrics.h"

namespace lvtext {

class Reporter {
 public:
  /// `model` and `host` must outlive the reporter.
  Reporter(const Trainable& model, Host& host) : model_(model), host_(host) {}

  /// Measures throughput from this state on.
  void restart(const TrainerState& state);
  /// Writes a log line with the means of the period, the learning rates of `metrics` and the
  /// model's warnings, and a line of throughput and memory use.
  void log_training(const TrainerState& state, const TrainerMetrics& metrics,
                    const TrainingMeans& period, int64_t skipped);
  void log_validation(const TrainerState& state, const Evaluation& evaluation, bool is_best);
  /// Adds throughput and memory use to `metrics` and shows them: at most ten times per second, and
  /// at the planned end.
  void show_progress(const TrainerState& state, TrainerMetrics& metrics);

 private:
  using Clock = std::chrono::steady_clock;
  /// Start of an interval over which throughput is measured.
  struct Start {
    int64_t step = 0;
    int64_t tokens = 0;
    double seconds = 0;
  };

  const Trainable& model_;
  Host& host_;
  Start process_;   ///< this process started or resumed the run
  Start last_log_;  ///< the latest log line
  Clock::time_point shown_{};
  std::set<std::string> warned_;  ///< ids of warnings that were printed
};

}  // namespace lvtext
