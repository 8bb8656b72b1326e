// Batch normalization that is told in every call what to do with its running statistics.
#pragma once

#include <optional>

#include "framework/core/model/step_context.h"
#include "framework/core/nn/init.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

/// (x - mean) / sqrt(var + 1e-5) * weight + bias per unit (Ioffe and Szegedy 2015), parameters and
/// buffers named as torch::nn::BatchNorm1d names them, momentum 0.1.
class BatchNorm : public torch::nn::Module {
 public:
  /// Over W units. Scales start at 1, with a `deviation` as N(0, deviation^2); biases at 0.
  BatchNorm(const Init& init, int64_t width, std::optional<double> deviation = {});
  /// [B, W] -> [B, W]. A single row has no variance of its own: the running statistics stand in,
  /// and are not updated.
  at::Tensor forward(const at::Tensor& x, BatchNormMode mode);

 private:
  at::Tensor weight_, bias_, running_mean_, running_var_;
};

}  // namespace lvtext
