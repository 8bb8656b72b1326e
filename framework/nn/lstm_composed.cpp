#include "framework/nn/lstm.h"
#include "framework/nn/packing.h"
#include "framework/tensor/products.h"

namespace lvtext {
namespace {

at::Tensor masked(const at::Tensor& state, const at::Tensor& mask, bool applies) {
  return applies && mask.defined() ? state * mask.slice(0, 0, state.size(0)) : state;
}

at::Tensor initial_state(const at::Tensor& given, const PackPlan& plan, int64_t hidden,
                         const at::TensorOptions& options) {
  return given.defined() ? sort_sentences(given, plan)
                         : at::zeros({static_cast<int64_t>(plan.order.size()), hidden}, options);
}

}  // namespace

LstmResult lstm_composed(const at::Tensor& input, const at::Tensor& lengths, const at::Tensor& h0,
                         const at::Tensor& c0, const LstmWeights& weights,
                         const LstmExtras& extras) {
  const int64_t time = input.size(1), hidden = weights.weight_hh.size(1);
  const PackPlan plan = plan_packing(lengths, input.size(0), time, extras.reverse);
  const auto sorted = [&](const at::Tensor& x) {
    return x.defined() ? sort_sentences(x, plan) : x;
  };
  const at::Tensor bias = sorted(extras.sentence_bias), mask_h = sorted(extras.mask_h),
                   mask_c = sorted(extras.mask_c);
  const at::Tensor h_first = initial_state(h0, plan, hidden, weights.weight_hh.options());
  const at::Tensor c_first = initial_state(c0, plan, hidden, weights.weight_hh.options());
  // One split: the backward pass of a narrow() per step would fill all of the gradient each time.
  const auto projected = lstm_project(to_packed(input, plan), weights).split_with_sizes(plan.sizes);

  std::vector<at::Tensor> hs, cs;
  at::Tensor h = h_first, c = c_first;
  for (int64_t t = 0; t < plan.steps(); ++t) {
    const int64_t rows = plan.sizes[t];
    const bool masks = t > 0 || extras.mask_initial_state;
    const at::Tensor h_prev = masked(h.slice(0, 0, rows), mask_h, masks);
    const at::Tensor c_prev = masked(c.slice(0, 0, rows), mask_c, masks);
    at::Tensor gates = projected[t] + affine(h_prev, weights.weight_hh);
    if (bias.defined()) {
      gates = gates + bias.slice(0, 0, rows);
    }
    const auto parts = gates.chunk(4, 1);
    c = at::sigmoid(parts[1]) * c_prev + at::sigmoid(parts[0]) * at::tanh(parts[2]);
    h = at::sigmoid(parts[3]) * at::tanh(c);
    hs.push_back(h);
    cs.push_back(c);
  }
  LstmResult result;
  result.outputs = hs.empty() ? at::zeros({input.size(0), time, hidden}, h_first.options())
                              : from_packed(at::cat(hs), plan, time);
  result.h = unsort_sentences(final_states(hs, h_first, plan), plan);
  result.c = unsort_sentences(final_states(cs, c_first, plan), plan);
  return result;
}

}  // namespace lvtext
