// A one-layer GRU.
#pragma once

#include "framework/core/nn/recurrent_layer.h"

namespace lvtext {

/// Gate order r, z, n, as torch::nn::GRU: h' = (1 - z) n + z h, where a mask acts on h in the
/// matrix product only: the carried h stays whole. Any number of derivatives.
class Gru final : public RecurrentLayer {
 public:
  explicit Gru(RecurrentWeights weights);
  /// As recurrent_weights().
  Gru(const ModuleScope& scope, int64_t input, int64_t hidden, double bound = -1);
  bool has_cell() const override { return false; }

 private:
  at::Tensor project(const at::Tensor& input) const override;
  RecurrentResult run(const GateInputs& inputs, const RecurrentState& initial,
                      const RecurrentExtras& extras) const override;
  void advance(const at::Tensor& projected, const std::vector<int64_t>& place,
               const at::Tensor& sentence_bias, RecurrentState& state) const override;
};

}  // namespace lvtext
