// Fully connected layer.
#pragma once

#include <optional>

#include "framework/core/nn/init.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

/// y = x W^T + b; parameters "weight" [out, in] and "bias" [out] (optional), named as in
/// torch::nn::Linear.
class Linear : public torch::nn::Module {
 public:
  /// Initializes weight and bias with U(-1/sqrt(in), 1/sqrt(in)), PyTorch's default; if `deviation`
  /// is set, the weight with N(0, deviation^2) and the bias with 0.
  Linear(const Init& init, int64_t in, int64_t out, std::optional<double> deviation = {},
         bool has_bias = true);
  /// [..., in] -> [..., out].
  at::Tensor forward(const at::Tensor& x) const;
  const at::Tensor& weight() const { return weight_; }
  /// Undefined without a bias.
  const at::Tensor& bias() const { return bias_; }

 private:
  at::Tensor weight_, bias_;
};

}  // namespace lvtext
