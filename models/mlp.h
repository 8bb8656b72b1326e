// Multilayer perceptron for discriminators, critics and generators.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "framework/core/nn/batch_norm.h"
#include "framework/core/nn/linear.h"

namespace lvtext {

/// Layers of an Mlp.
struct MlpLayout {
  std::vector<int64_t> widths;           ///< input, hidden layers, output
  double negative_slope = 0;             ///< slope of the leaky ReLU; 0: ReLU
  std::vector<bool> normalized = {};     ///< per hidden layer: batch normalization; empty: none
  std::optional<double> deviation = {};  ///< initial weights and scales N(0, deviation^2), biases 0
};

/// Linear, (batch normalization,) ReLU, ..., linear.
class Mlp : public torch::nn::Module {
 public:
  Mlp(const Init& init, const MlpLayout& layout);
  /// [B, first width] -> [B, last width].
  at::Tensor forward(const at::Tensor& x, BatchNormMode mode) const;

 private:
  double negative_slope_;
  std::vector<std::shared_ptr<Linear>> layers_;
  std::vector<std::shared_ptr<BatchNorm>> norms_;  ///< null for layers without normalization
};

}  // namespace lvtext
