#include "framework/core/nn/lstm.h"

#include "framework/core/base/error.h"
#include "framework/core/nn/lstm_fused.h"
#include "framework/core/nn/lstm_kernels.h"
#include "framework/core/nn/recurrent_steps.h"
#include "framework/core/tensor/products.h"

namespace lvtext {
namespace {

/// Computes the next state from the gate preactivations, [N, 4H].
RecurrentState next_state(const at::Tensor& gates, const at::Tensor& c_before) {
  const auto parts = gates.chunk(4, 1);
  const at::Tensor c =
      at::sigmoid(parts[1]) * c_before + at::sigmoid(parts[0]) * at::tanh(parts[2]);
  return {at::sigmoid(parts[3]) * at::tanh(c), c};
}

}  // namespace

Lstm::Lstm(RecurrentWeights weights) : RecurrentLayer(std::move(weights)) {
  LVT_ASSERT(this->weights().weight_ih.size(0) == 4 * hidden() && gates() == 4 * hidden(),
             "an LSTM's weights must be [4H, I] and [4H, H]");
}

Lstm::Lstm(const ModuleScope& scope, int64_t input, int64_t hidden, double forget_bias,
           double bound, const std::string& suffix)
    : Lstm(recurrent_weights(scope, 4, input, hidden, bound, suffix)) {
  const at::NoGradGuard no_grad;
  weights().bias_ih.slice(0, hidden, 2 * hidden).add_(forget_bias);
}

at::Tensor Lstm::project(const at::Tensor& input) const {
  return affine(input, weights().weight_ih, weights().bias_ih + weights().bias_hh);
}

RecurrentResult Lstm::forward_composed(const at::Tensor& input, const at::Tensor& lengths,
                                       const RecurrentState& initial,
                                       const RecurrentExtras& extras) const {
  return run_composed(gate_inputs(input, lengths, extras.reverse), initial, extras);
}

RecurrentResult Lstm::run(const GateInputs& inputs, const RecurrentState& initial,
                          const RecurrentExtras& extras) const {
  return inputs.rows.is_cpu() ? lstm_fused(inputs, initial, weights().weight_hh, extras)
                              : run_composed(inputs, initial, extras);
}

RecurrentResult Lstm::run_composed(const GateInputs& inputs, const RecurrentState& initial,
                                   const RecurrentExtras& extras) const {
  const auto batch = static_cast<int64_t>(inputs.plan.order.size());
  return run_steps(inputs, initial, zero_state(batch), extras,
                   [this](const at::Tensor& input, const at::Tensor& bias, const RecurrentState&,
                          const RecurrentState& masked) {
                     at::Tensor gates = input + affine(masked.h, weights().weight_hh);
                     if (bias.defined()) gates = gates + bias;
                     return next_state(gates, masked.c);
                   });
}

void Lstm::advance(const at::Tensor& projected, const std::vector<int64_t>& index,
                   const at::Tensor& sentence_bias, RecurrentState& state) const {
  at::Tensor &h = state.h, &c = state.c;
  if (h.is_cpu() && h.scalar_type() == at::kFloat) {
    LVT_ASSERT(h.is_contiguous() && c.is_contiguous(), "the state of a step must be contiguous");
    const at::Tensor gates = at::mm(h, weights().weight_hh.t()), input = projected.contiguous();
    const at::Tensor bias = sentence_bias.defined() ? sentence_bias.contiguous() : at::Tensor();
    LstmForwardStep<float> step;
    step.rows = h.size(0);
    step.hidden = h.size(1);
    step.gates = gates.mutable_data_ptr<float>();
    step.input = input.const_data_ptr<float>();
    step.input_row = index.empty() ? nullptr : index.data();
    step.sentence_bias = bias.defined() ? bias.const_data_ptr<float>() : nullptr;
    step.c_prev = c.const_data_ptr<float>();
    step.c = c.mutable_data_ptr<float>();
    step.h = h.mutable_data_ptr<float>();
    lstm_forward_step(step);
    return;
  }
  at::Tensor input = rows_at(projected, index);
  if (sentence_bias.defined()) input = input + sentence_bias;
  state = next_state(at::addmm(input, h, weights().weight_hh.t()), c);
}

}  // namespace lvtext
