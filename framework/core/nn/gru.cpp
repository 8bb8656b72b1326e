#include "framework/core/nn/gru.h"

#include "framework/core/base/error.h"
#include "framework/core/nn/recurrent_steps.h"
#include "framework/core/tensor/products.h"

namespace lvtext {
namespace {

/// Recurrent weights by matrix product.
struct Products {
  at::Tensor gates;      ///< rows of r and z, followed by those of n for kAfterProduct
  at::Tensor candidate;  ///< for kBeforeProduct: rows of n
  at::Tensor bias;       ///< for kAfterProduct
};

/// Splits the weights once for all steps, because the backward pass of a split fills the entire
/// gradient.
Products products_of(const RecurrentWeights& weights, ResetGate reset) {
  if (reset == ResetGate::kAfterProduct) return {weights.weight_hh, {}, weights.bias_hh};
  const int64_t hidden = weights.weight_hh.size(1);
  const auto parts = weights.weight_hh.split_with_sizes({2 * hidden, hidden});
  return {parts[0], parts[1], {}};
}

/// Computes the next h from the input projection of the gates, h and the masked h.
at::Tensor next_state(const at::Tensor& input, const at::Tensor& h, const at::Tensor& h_masked,
                      const Products& weights) {
  const auto in = input.chunk(3, 1);
  const auto recurrent = affine(h_masked, weights.gates, weights.bias);
  const auto gates = recurrent.chunk(weights.candidate.defined() ? 2 : 3, 1);
  const at::Tensor r = at::sigmoid(in[0] + gates[0]);
  const at::Tensor z = at::sigmoid(in[1] + gates[1]);
  const at::Tensor n =
      at::tanh(in[2] + (weights.candidate.defined() ? affine(r * h_masked, weights.candidate)
                                                    : r * gates[2]));
  return n + z * (h - n);
}

}  // namespace

const std::vector<EnumName<ResetGate>>& enum_names(ResetGate) {
  static const std::vector<EnumName<ResetGate>> names = {
      {"after_product", ResetGate::kAfterProduct, "n = tanh(W x + r * (U h)), as PyTorch"},
      {"before_product", ResetGate::kBeforeProduct, "n = tanh(W x + U (r * h)), as TensorFlow 1"}};
  return names;
}

Gru::Gru(RecurrentWeights weights, ResetGate reset)
    : RecurrentLayer(std::move(weights)), reset_(reset) {
  LVT_ASSERT(this->weights().weight_ih.size(0) == 3 * hidden() && gates() == 3 * hidden(),
             "a GRU's weights must be [3H, I] and [3H, H]");
}

Gru::Gru(const ModuleScope& scope, int64_t input, int64_t hidden, double bound)
    : Gru(recurrent_weights(scope, 3, input, hidden, bound)) {}

at::Tensor Gru::project(const at::Tensor& input) const {
  const bool adds_both = reset_ == ResetGate::kBeforeProduct && weights().bias_hh.defined();
  return affine(input, weights().weight_ih,
                adds_both ? weights().bias_ih + weights().bias_hh : weights().bias_ih);
}

RecurrentResult Gru::run(const GateInputs& inputs, const RecurrentState& initial,
                         const RecurrentExtras& extras) const {
  LVT_ASSERT(!extras.mask_c.defined(), "a GRU has no cell state to mask");
  const auto batch = static_cast<int64_t>(inputs.plan.order.size());
  const Products products = products_of(weights(), reset_);
  return run_steps(inputs, initial, zero_state(batch), extras,
                   [&products](const at::Tensor& input, const at::Tensor& bias,
                               const RecurrentState& state, const RecurrentState& masked) {
                     return RecurrentState{next_state(bias.defined() ? input + bias : input,
                                                      state.h, masked.h, products)};
                   });
}

void Gru::advance(const at::Tensor& projected, const std::vector<int64_t>& index,
                  const at::Tensor& sentence_bias, RecurrentState& state) const {
  at::Tensor input = rows_at(projected, index);
  if (sentence_bias.defined()) input = input + sentence_bias;
  state.h = next_state(input, state.h, state.h, products_of(weights(), reset_));
}

}  // namespace lvtext
