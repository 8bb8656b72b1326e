// One-layer LSTM.
#pragma once

#include "framework/core/nn/recurrent_layer.h"

namespace lvtext {

/// Gate order i, f, g, o, as torch::nn::LSTM. On the CPU forward() is a fused operation whose
/// backward does not support create_graph; on other devices it is forward_composed().
class Lstm final : public RecurrentLayer {
 public:
  explicit Lstm(RecurrentWeights weights);
  /// Initializes weights like recurrent_weights(); `forget_bias` is added to the forget gate's
  /// bias.
  Lstm(const ModuleScope& scope, int64_t input, int64_t hidden, double forget_bias = 0,
       double bound = -1, const std::string& suffix = "");
  bool has_cell() const override { return true; }
  /// forward() composed of LibTorch operations; supports all devices and derivatives of any order.
  RecurrentResult forward_composed(const at::Tensor& input, const at::Tensor& lengths,
                                   const RecurrentState& initial = {},
                                   const RecurrentExtras& extras = {}) const;

 private:
  at::Tensor project(const at::Tensor& input) const override;
  RecurrentResult run(const GateInputs& inputs, const RecurrentState& initial,
                      const RecurrentExtras& extras) const override;
  RecurrentResult run_composed(const GateInputs& inputs, const RecurrentState& initial,
                               const RecurrentExtras& extras) const;
  void advance(const at::Tensor& projected, const std::vector<int64_t>& index,
               const at::Tensor& sentence_bias, RecurrentState& state) const override;
};

}  // namespace lvtext
