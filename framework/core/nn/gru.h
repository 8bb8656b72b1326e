// One-layer GRU.
#pragma once

#include "framework/core/nn/recurrent_layer.h"

namespace lvtext {

/// Gate order r, z, n, as torch::nn::GRU: h' = (1 - z) n + z h. A mask is applied to h only in the
/// matrix product, not to the carried h. Supports derivatives of any order.
class Gru final : public RecurrentLayer {
 public:
  explicit Gru(RecurrentWeights weights);
  /// Initializes weights like recurrent_weights().
  Gru(const ModuleScope& scope, int64_t input, int64_t hidden, double bound = -1);
  bool has_cell() const override { return false; }

 private:
  at::Tensor project(const at::Tensor& input) const override;
  RecurrentResult run(const GateInputs& inputs, const RecurrentState& initial,
                      const RecurrentExtras& extras) const override;
  void advance(const at::Tensor& projected, const std::vector<int64_t>& index,
               const at::Tensor& sentence_bias, RecurrentState& state) const override;
};

}  // namespace lvtext
