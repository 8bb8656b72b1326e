// A training step: runs the phases of the model's plan, each with its batches, gradients and
// updates.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/trainable.h"
#include "trainers/batch_prefetcher.h"
#include "trainers/layout.h"
#include "trainers/learning_rate.h"
#include "trainers/log_means.h"
#include "trainers/metrics.h"
#include "trainers/nonfinite.h"
#include "trainers/optimizer.h"
#include "trainers/phase_context.h"

namespace lvtext {

/// Dependencies of a step; owned by the trainer.
struct StepParts {
  Trainable& model;
  const Layout& layout;
  const TrainOptions& options;
  at::Device device;
  std::map<std::string, BatchPrefetcher>& prefetchers;
  std::map<std::string, Optimizer>& optimizers;
  SkipBudget& skips;
  LogMeans& means;
  TrainerMetrics& metrics;
  RunLength length;
  /// Stores diagnostics of a non-finite value and returns their location.
  std::function<std::string(const nlohmann::ordered_json&)> save_diagnostics;
};

class StepRunner {
 public:
  explicit StepRunner(StepParts parts) : parts_(std::move(parts)) {}

  /// Runs the phases of one step, updates the counters of `state` except `step`, and sets the
  /// metrics of the step. On a non-finite loss or gradient, skips its phase and the later ones or
  /// throws Error (1), depending on the options; the value is not applied to any parameter.
  void run(TrainerState& state);

 private:
  /// The batches of a phase.
  struct Drawn {
    Batches batches;  ///< on the CPU, as drawn
    int64_t micros = 1;
    std::vector<double> totals;
  };
  struct Gradients {
    const Update* update = nullptr;
    NamedTensors params;  ///< parameters that received a gradient
    std::vector<at::Tensor> gradients;
    std::vector<at::Tensor> norms;
    double norm = 0;
  };

  /// Returns false if the remaining phases of the step must be skipped.
  bool run_phase(const Phase& phase, size_t phase_run, bool last, TrainerState& state);
  Drawn draw(const Phase& phase, TrainerState& state);
  std::vector<at::Tensor> backward(const Phase& phase, const Drawn& drawn, size_t phase_run,
                                   bool last, const TrainerState& state);
  /// Sum of weight x sum / total over the terms; undefined if all weights are 0. Adds the
  /// contribution of each term to `means`.
  at::Tensor objective(const Phase& phase, const Sums& sums, const std::vector<double>& totals,
                       const TrainerState& state, std::vector<at::Tensor>& means) const;
  std::vector<Gradients> collect_gradients(const Phase& phase) const;
  /// Reads the means and gradient norms from the device into the metrics. Returns true, and adds
  /// them to the means of the logging period, if all are finite.
  bool check_finite(const Phase& phase, const std::vector<at::Tensor>& means,
                    std::vector<Gradients>& updates);
  /// Diagnostics of a phase for which check_finite() returned false.
  nlohmann::ordered_json diagnostics_of(const Phase& phase, const Drawn& drawn,
                                        const std::vector<Gradients>& updates,
                                        const TrainerState& state) const;
  void apply_updates(const Phase& phase, std::vector<Gradients>& updates, TrainerState& state);
  void project_parameters(const Phase& phase, Constraint::When when);
  void drop_gradients(const Phase& phase) const;

  StepParts parts_;
  StepMemory memory_;
  std::vector<std::pair<std::string, at::Tensor>> logged_;  ///< values of the current phase
  std::map<std::string, Batch> latest_;  ///< latest batch of each stream in this step
};

}  // namespace lvtext
