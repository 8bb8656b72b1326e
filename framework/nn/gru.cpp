#include "framework/nn/gru.h"

#include <cmath>

#include "framework/base/error.h"
#include "framework/nn/init.h"
#include "framework/nn/packing.h"

namespace lvtext {
namespace {

/// The next state from the input's part of the gates, the state and its masked copy.
at::Tensor next_state(const at::Tensor& projected, const at::Tensor& h, const at::Tensor& h_masked,
                      const GruWeights& weights) {
  const auto in = projected.chunk(3, 1);
  const auto recurrent = at::linear(h_masked, weights.weight_hh, weights.bias_hh).chunk(3, 1);
  const at::Tensor r = at::sigmoid(in[0] + recurrent[0]);
  const at::Tensor z = at::sigmoid(in[1] + recurrent[1]);
  const at::Tensor n = at::tanh(in[2] + r * recurrent[2]);
  return n + z * (h - n);
}

}  // namespace

GruResult gru(const at::Tensor& input, const at::Tensor& lengths, const at::Tensor& h0,
              const GruWeights& weights, const GruExtras& extras) {
  const int64_t batch = input.size(0), time = input.size(1), hidden = weights.weight_hh.size(1);
  LVT_ASSERT(input.dim() == 3 && input.size(2) == weights.weight_ih.size(1),
             "a GRU's input must be [B, T, I]");
  LVT_ASSERT(weights.weight_ih.size(0) == 3 * hidden && weights.weight_hh.size(0) == 3 * hidden,
             "a GRU's weights must be [3H, I] and [3H, H]");
  const PackPlan plan = plan_packing(lengths, batch, time, extras.reverse);
  const auto sorted = [&](const at::Tensor& x) { return x.defined() ? sort_sentences(x, plan) : x; };
  const at::Tensor bias = sorted(extras.sentence_bias), mask = sorted(extras.mask_h);
  const at::Tensor first = h0.defined() ? sort_sentences(h0, plan)
                                        : at::zeros({batch, hidden}, weights.weight_hh.options());
  const at::Tensor projected = gru_project(to_packed(input, plan), weights);

  std::vector<at::Tensor> states;
  at::Tensor h = first;
  for (int64_t t = 0; t < plan.steps(); ++t) {
    const int64_t rows = plan.sizes[t];
    at::Tensor in = projected.narrow(0, plan.offsets[t], rows);
    if (bias.defined()) {
      in = in + bias.slice(0, 0, rows);
    }
    const at::Tensor h_prev = h.slice(0, 0, rows);
    const bool masks = mask.defined() && (t > 0 || extras.mask_initial_state);
    h = next_state(in, h_prev, masks ? h_prev * mask.slice(0, 0, rows) : h_prev, weights);
    states.push_back(h);
  }
  GruResult result;
  result.outputs = states.empty() ? at::zeros({batch, time, hidden}, first.options())
                                  : from_packed(at::cat(states), plan, time);
  result.h = unsort_sentences(final_states(states, first, plan), plan);
  return result;
}

at::Tensor gru_project(const at::Tensor& input, const GruWeights& weights) {
  return at::linear(input, weights.weight_ih, weights.bias_ih);
}

at::Tensor gru_cell(const at::Tensor& projected, const at::Tensor& h, const GruWeights& weights) {
  const at::NoGradGuard no_grad;
  return next_state(projected, h, h, weights);
}

Gru::Gru(int64_t input, int64_t hidden, uint64_t seed, std::string_view name, double bound) {
  const double limit = bound < 0 ? 1 / std::sqrt(static_cast<double>(hidden)) : bound;
  const auto parameter = [&](const char* part, at::IntArrayRef shape) {
    return register_parameter(part,
                              uniform_init(shape, limit, seed, std::string(name) + "." + part));
  };
  weights_ = {parameter("weight_ih_l0", {3 * hidden, input}),
              parameter("weight_hh_l0", {3 * hidden, hidden}),
              parameter("bias_ih_l0", {3 * hidden}), parameter("bias_hh_l0", {3 * hidden})};
}

GruResult Gru::forward(const at::Tensor& input, const at::Tensor& lengths, const at::Tensor& h0,
                       const GruExtras& extras) const {
  return gru(input, lengths, h0, weights_, extras);
}

}  // namespace lvtext
