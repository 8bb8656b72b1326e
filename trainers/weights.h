// Weights of a model as named tensors: collected, copied, replaced for a while.
#pragma once

#include <utility>
#include <vector>

#include "framework/core/checkpoint/safetensors.h"
#include "framework/core/model/trainable.h"
#include "trainers/optimizer.h"

namespace lvtext {

/// Parameters (by their names in the groups) and buffers: the contents of model.safetensors. The
/// tensors share storage with the model. Throws std::logic_error on duplicate names.
TensorMap model_tensors(Trainable& model);

/// Copies of all tensors, detached.
TensorMap copy_of(const TensorMap& tensors);

/// Replaces parameter values for its lifetime, such as by averages for validation or saving.
class ScopedWeights {
 public:
  /// `values` by parameter name; may be empty.
  ScopedWeights(const NamedTensors& parameters, const TensorMap& values);
  ~ScopedWeights();
  ScopedWeights(const ScopedWeights&) = delete;
  ScopedWeights& operator=(const ScopedWeights&) = delete;

 private:
  std::vector<std::pair<at::Tensor, at::Tensor>> own_;
};

}  // namespace lvtext
