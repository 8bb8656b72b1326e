// Services of the trainer for a model that computes the losses of one phase.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/model/schedule.h"
#include "framework/core/tensor/batch_norm_mode.h"
#include "framework/core/tensor/philox.h"

namespace lvtext {

/// Passed by the trainer to Trainable::active() and losses(), for one phase and micro-batch; valid
/// during the call only.
class StepContext {
 public:
  virtual ~StepContext() = default;

  /// Layers must use this flag instead of torch::nn::Module::is_training().
  virtual bool training() const = 0;
  /// Returns the noise key for `use` ("dropout.input", "posterior"): a function of (seed, step,
  /// phase run or shared value, use). Key and example ids determine every draw; there is no
  /// sequential generator state.
  virtual NoiseKey noise(std::string_view use) const = 0;
  /// Current value of a schedule, a float scalar on the model's device.
  virtual at::Tensor value(const Schedule& schedule) const = 0;
  /// Returns the result of a forward pass with its graph, computed by the first phase of this step
  /// that requests it and shared with later phases. `reads` names the parameter groups that it
  /// uses; requesting it after one of them was updated is an error. With gradient accumulation it
  /// is recomputed with the same noise.
  virtual at::Tensor shared(const std::string& name, const std::vector<std::string>& reads,
                            const std::function<at::Tensor()>& compute) = 0;
  /// Stores a detached value per micro-batch until the end of the step.
  virtual void store(const std::string& name, const at::Tensor& value) = 0;
  /// Returns the value that an earlier phase of this step stored for this micro-batch by store().
  virtual at::Tensor load(const std::string& name) const = 0;
  /// Mean of a term ("phase/term") of an earlier phase of this step, over all micro-batches and
  /// ranks.
  virtual at::Tensor term_mean(const std::string& term) const = 0;
  /// Returns `z` with a gradient hook: `change` maps dL/dz to the gradient that is propagated.
  virtual at::Tensor gradient_hook(const at::Tensor& z,
                                   const std::function<at::Tensor(const at::Tensor&)>& change) = 0;
  /// Logs a value (mean over the logging period) without host synchronization.
  virtual void log(const std::string& name, const at::Tensor& value) = 0;
  /// kRunning outside training and for frozen networks; kBatchOnly on a recomputation.
  virtual BatchNormMode batch_norm() const = 0;
};

}  // namespace lvtext
