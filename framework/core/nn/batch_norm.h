// Batch normalization whose treatment of the running statistics is a parameter of each call.
#pragma once

#include <optional>

#include "framework/core/nn/init.h"
#include "framework/core/tensor/batch_norm_mode.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

/// (x - mean) / sqrt(var + 1e-5) * weight + bias per unit or channel (Ioffe and Szegedy 2015).
/// Parameters and buffers have the names of torch::nn::BatchNorm1d; momentum is 0.1.
class BatchNorm : public torch::nn::Module {
 public:
  /// Normalizes `width` units or channels W. Scales are initialized to 1, or from N(mean,
  /// deviation^2) if `deviation` is set; biases to 0.
  BatchNorm(const Init& init, int64_t width, std::optional<double> deviation = {}, double mean = 0);
  /// [B, W] -> [B, W], or [B, W, H, W'] -> [B, W, H, W'] with the statistics of all pixels. A
  /// single row or pixel has no variance, so the running statistics are used and not updated.
  at::Tensor forward(const at::Tensor& x, BatchNormMode mode);

 private:
  at::Tensor weight_, bias_, running_mean_, running_var_;
};

}  // namespace lvtext
