// One-layer GRU.
#pragma once

#include "framework/core/nn/recurrent_layer.h"

namespace lvtext {

/// How the candidate state n depends on the reset gate r.
enum class ResetGate {
  kAfterProduct,   ///< n = tanh(W x + r * (U h)), as torch::nn::GRU and cuDNN
  kBeforeProduct,  ///< n = tanh(W x + U (r * h)), as Cho et al. 2014 and TensorFlow 1
};
const std::vector<EnumName<ResetGate>>& enum_names(ResetGate);

/// Gate order r, z, n, as torch::nn::GRU: h' = (1 - z) n + z h. A mask is applied to h only in the
/// matrix products, not to the carried h. Supports derivatives of any order.
class Gru final : public RecurrentLayer {
 public:
  /// Weights [3H, I] and [3H, H], biases [3H]; throws std::logic_error for other shapes. With
  /// kBeforeProduct, bias_hh is added like bias_ih and may be undefined.
  explicit Gru(RecurrentWeights weights, ResetGate reset = ResetGate::kAfterProduct);
  /// Initializes weights like recurrent_weights().
  Gru(const ModuleScope& scope, int64_t input, int64_t hidden, double bound = -1);
  bool has_cell() const override { return false; }

 private:
  at::Tensor project(const at::Tensor& input) const override;
  RecurrentResult run(const GateInputs& inputs, const RecurrentState& initial,
                      const RecurrentExtras& extras) const override;
  void advance(const at::Tensor& projected, const std::vector<int64_t>& index,
               const at::Tensor& sentence_bias, RecurrentState& state) const override;

  ResetGate reset_;
};

}  // namespace lvtext
