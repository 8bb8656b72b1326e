#include "framework/core/nn/gru.h"

#include "framework/core/base/error.h"
#include "framework/core/nn/recurrent_steps.h"
#include "framework/core/tensor/products.h"

namespace lvtext {
namespace {

/// Computes the next h from the input projection of the gates, h and the masked h.
at::Tensor next_state(const at::Tensor& input, const at::Tensor& h, const at::Tensor& h_masked,
                      const RecurrentWeights& weights) {
  const auto in = input.chunk(3, 1);
  const auto recurrent = affine(h_masked, weights.weight_hh, weights.bias_hh).chunk(3, 1);
  const at::Tensor r = at::sigmoid(in[0] + recurrent[0]);
  const at::Tensor z = at::sigmoid(in[1] + recurrent[1]);
  const at::Tensor n = at::tanh(in[2] + r * recurrent[2]);
  return n + z * (h - n);
}

}  // namespace

Gru::Gru(RecurrentWeights weights) : RecurrentLayer(std::move(weights)) {
  LVT_ASSERT(this->weights().weight_ih.size(0) == 3 * hidden() && gates() == 3 * hidden(),
             "a GRU's weights must be [3H, I] and [3H, H]");
}

Gru::Gru(const ModuleScope& scope, int64_t input, int64_t hidden, double bound)
    : Gru(recurrent_weights(scope, 3, input, hidden, bound)) {}

at::Tensor Gru::project(const at::Tensor& input) const {
  return affine(input, weights().weight_ih, weights().bias_ih);
}

RecurrentResult Gru::run(const GateInputs& inputs, const RecurrentState& initial,
                         const RecurrentExtras& extras) const {
  LVT_ASSERT(!extras.mask_c.defined(), "a GRU has no cell state to mask");
  const auto batch = static_cast<int64_t>(inputs.plan.order.size());
  return run_steps(inputs, initial, zero_state(batch), extras,
                   [this](const at::Tensor& input, const at::Tensor& bias,
                          const RecurrentState& state, const RecurrentState& masked) {
                     return RecurrentState{next_state(bias.defined() ? input + bias : input,
                                                      state.h, masked.h, weights())};
                   });
}

void Gru::advance(const at::Tensor& projected, const std::vector<int64_t>& index,
                  const at::Tensor& sentence_bias, RecurrentState& state) const {
  at::Tensor input = rows_at(projected, index);
  if (sentence_bias.defined()) input = input + sentence_bias;
  state.h = next_state(input, state.h, state.h, weights());
}

}  // namespace lvtext
