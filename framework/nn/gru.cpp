#include "framework/nn/gru.h"

#include <cmath>

#include "framework/base/error.h"
#include "framework/nn/distinct_words.h"
#include "framework/nn/module_scope.h"
#include "framework/nn/packing.h"
#include "framework/tensor/products.h"

namespace lvtext {
namespace {

/// The next state from the input's part of the gates, the state and its masked copy.
at::Tensor next_state(const at::Tensor& projected, const at::Tensor& h, const at::Tensor& h_masked,
                      const GruWeights& weights) {
  const auto in = projected.chunk(3, 1);
  const auto recurrent = affine(h_masked, weights.weight_hh, weights.bias_hh).chunk(3, 1);
  const at::Tensor r = at::sigmoid(in[0] + recurrent[0]);
  const at::Tensor z = at::sigmoid(in[1] + recurrent[1]);
  const at::Tensor n = at::tanh(in[2] + r * recurrent[2]);
  return n + z * (h - n);
}

void check_weights(const GruWeights& weights) {
  const int64_t hidden = weights.weight_hh.size(1);
  LVT_ASSERT(weights.weight_ih.size(0) == 3 * hidden && weights.weight_hh.size(0) == 3 * hidden,
             "a GRU's weights must be [3H, I] and [3H, H]");
}

/// The GRU after the input's projection, [N, 3H] in the plan's order.
GruResult run(const at::Tensor& projected, const PackPlan& plan, int64_t time, const at::Tensor& h0,
              const GruWeights& weights, const GruExtras& extras) {
  const int64_t batch = static_cast<int64_t>(plan.order.size()), hidden = weights.weight_hh.size(1);
  const auto sorted = [&](const at::Tensor& x) {
    return x.defined() ? sort_sentences(x, plan) : x;
  };
  const at::Tensor bias = sorted(extras.sentence_bias), mask = sorted(extras.mask_h);
  const at::Tensor first = h0.defined() ? sort_sentences(h0, plan)
                                        : at::zeros({batch, hidden}, weights.weight_hh.options());
  // One split: the backward pass of a narrow() per step would fill all of the gradient each time.
  const auto inputs = projected.split_with_sizes(plan.sizes);
  std::vector<at::Tensor> states;
  at::Tensor h = first;
  for (int64_t t = 0; t < plan.steps(); ++t) {
    const int64_t rows = plan.sizes[t];
    at::Tensor in = inputs[t];
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

}  // namespace

GruResult gru(const at::Tensor& input, const at::Tensor& lengths, const at::Tensor& h0,
              const GruWeights& weights, const GruExtras& extras) {
  check_weights(weights);
  LVT_ASSERT(input.dim() == 3 && input.size(2) == weights.weight_ih.size(1),
             "a GRU's input must be [B, T, I]");
  const PackPlan plan = plan_packing(lengths, input.size(0), input.size(1), extras.reverse);
  return run(gru_project(to_packed(input, plan), weights), plan, input.size(1), h0, weights,
             extras);
}

GruResult gru_words(const at::Tensor& ids, const at::Tensor& table, const at::Tensor& lengths,
                    const at::Tensor& h0, const GruWeights& weights, const GruExtras& extras) {
  if (!table.is_cpu()) {
    return gru(at::embedding(table, ids.to(table.device())), lengths, h0, weights, extras);
  }
  check_weights(weights);
  LVT_ASSERT(ids.dim() == 2 && table.size(1) == weights.weight_ih.size(1),
             "a GRU's words must be [B, T] with a table [V, I]");
  const PackPlan plan = plan_packing(lengths, ids.size(0), ids.size(1), extras.reverse);
  const DistinctWords words = distinct_words(ids, plan, table.size(0));
  const at::Tensor projected = gru_project(at::embedding(table, words.ids), weights);
  return run(projected.index_select(0, index_tensor(words.place, table.device())), plan,
             ids.size(1), h0, weights, extras);
}

at::Tensor gru_project(const at::Tensor& input, const GruWeights& weights) {
  return affine(input, weights.weight_ih, weights.bias_ih);
}

at::Tensor gru_cell(const at::Tensor& projected, const std::vector<int64_t>& place,
                    const at::Tensor& sentence_bias, const at::Tensor& h,
                    const GruWeights& weights) {
  const at::NoGradGuard no_grad;
  at::Tensor input = place.empty()
                         ? projected
                         : projected.index_select(0, index_tensor(place, projected.device()));
  if (sentence_bias.defined()) {
    input = input + sentence_bias;
  }
  return next_state(input, h, h, weights);
}

Gru::Gru(const Init& init, int64_t input, int64_t hidden, double bound) {
  const ModuleScope scope(*this, init);
  const double limit = bound < 0 ? 1 / std::sqrt(static_cast<double>(hidden)) : bound;
  weights_ = {scope.uniform("weight_ih_l0", {3 * hidden, input}, limit),
              scope.uniform("weight_hh_l0", {3 * hidden, hidden}, limit),
              scope.uniform("bias_ih_l0", {3 * hidden}, limit),
              scope.uniform("bias_hh_l0", {3 * hidden}, limit)};
}

GruResult Gru::forward(const at::Tensor& input, const at::Tensor& lengths, const at::Tensor& h0,
                       const GruExtras& extras) const {
  return gru(input, lengths, h0, weights_, extras);
}

GruResult Gru::forward_words(const at::Tensor& ids, const at::Tensor& table,
                             const at::Tensor& lengths, const at::Tensor& h0,
                             const GruExtras& extras) const {
  return gru_words(ids, table, lengths, h0, weights_, extras);
}

}  // namespace lvtext
