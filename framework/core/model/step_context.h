// What the trainer lends a model while it computes the losses of one phase.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/model/schedule.h"
#include "framework/core/tensor/philox.h"

namespace lvtext {

/// How batch normalization treats its running statistics in this call.
enum class BatchNormMode { kUpdate, kBatchOnly, kRunning };

class StepContext {
 public:
  virtual ~StepContext() = default;

  /// Layers read this instead of a module's own flag.
  virtual bool training() const = 0;
  /// Key of the noise for `use` ("dropout.input", "posterior"): a function of (seed, step, phase
  /// run or shared slot, use). With the example ids it decides every draw; nothing is sequential.
  virtual NoiseKey noise(std::string_view use) const = 0;
  /// Present value of a schedule, a float scalar on the model's device.
  virtual at::Tensor value(const Schedule& schedule) const = 0;
  /// A forward pass with its graph, computed by the first phase of this step that asks and shared
  /// with the later ones. `reads` names the parameter groups it uses: asking again after one of
  /// them was updated is refused. Recomputed, with the same noise, under accumulation.
  virtual at::Tensor once(const std::string& slot, const std::vector<std::string>& reads,
                          const std::function<at::Tensor()>& compute) = 0;
  /// Stores a value, detached, until the end of the step; one per micro-batch.
  virtual void keep(const std::string& slot, const at::Tensor& value) = 0;
  /// The value that an earlier phase of this step kept for this micro-batch.
  virtual at::Tensor kept(const std::string& slot) const = 0;
  /// Mean of a term ("phase/term") of an earlier phase of this step, over all micro-batches and
  /// ranks.
  virtual at::Tensor result(const std::string& term) const = 0;
  /// `z` with a hook on its gradient: `change` sees dL/dz and returns what flows on.
  virtual at::Tensor tap(const at::Tensor& z,
                         const std::function<at::Tensor(const at::Tensor&)>& change) = 0;
  /// A value for the log (mean over the logging period); no host synchronization.
  virtual void log(const std::string& name, const at::Tensor& value) = 0;
  /// kRunning outside training and for frozen networks; kBatchOnly on a recomputation.
  virtual BatchNormMode batch_norm() const = 0;
};

}  // namespace lvtext
