// Small fully connected networks: discriminators, critics, generators.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "framework/core/nn/linear.h"
#include "models/batch_norm.h"

namespace lvtext {

/// What an Mlp consists of.
struct MlpLayout {
  std::vector<int64_t> widths;           ///< input, hidden layers, output
  double leak = 0;                       ///< slope of the rectifiers below 0
  std::vector<bool> normalized = {};     ///< batch normalization by hidden layer; empty: none
  std::optional<double> deviation = {};  ///< weights and scales N(0, deviation^2), biases 0
};

/// Linear, (batch normalization,) rectifier, ..., linear.
class Mlp : public torch::nn::Module {
 public:
  Mlp(const Init& init, const MlpLayout& layout);
  /// [B, first width] -> [B, last width].
  at::Tensor forward(const at::Tensor& x, BatchNormMode mode) const;

 private:
  double leak_;
  std::vector<std::shared_ptr<Linear>> layers_;
  std::vector<std::shared_ptr<BatchNorm>> norms_;  ///< null where a layer has none
};

}  // namespace lvtext
