#include "framework/nn/lstm.h"

#include <cmath>

#include "framework/base/error.h"
#include "framework/nn/distinct_words.h"
#include "framework/nn/lstm_fused.h"
#include "framework/nn/lstm_kernels.h"
#include "framework/nn/module_scope.h"
#include "framework/tensor/products.h"

namespace lvtext {
namespace {

void check_weights(const LstmWeights& weights) {
  const int64_t hidden = weights.weight_hh.size(1);
  LVT_ASSERT(weights.weight_ih.size(0) == 4 * hidden && weights.weight_hh.size(0) == 4 * hidden,
             "an LSTM's weights must be [4H, I] and [4H, H]");
}

/// Registers one direction's parameters; torch appends "_reverse" to the second direction's names.
LstmWeights make_weights(const ModuleScope& scope, int64_t input, int64_t hidden,
                         double forget_bias, double bound, const std::string& suffix) {
  const double limit = bound < 0 ? 1 / std::sqrt(static_cast<double>(hidden)) : bound;
  const auto parameter = [&](const char* name, at::IntArrayRef shape) {
    return scope.uniform(name + suffix, shape, limit);
  };
  LstmWeights weights{parameter("weight_ih_l0", {4 * hidden, input}),
                      parameter("weight_hh_l0", {4 * hidden, hidden}),
                      parameter("bias_ih_l0", {4 * hidden}), parameter("bias_hh_l0", {4 * hidden})};
  const at::NoGradGuard no_grad;
  weights.bias_ih.slice(0, hidden, 2 * hidden).add_(forget_bias);
  return weights;
}

}  // namespace

LstmResult lstm(const at::Tensor& input, const at::Tensor& lengths, const at::Tensor& h0,
                const at::Tensor& c0, const LstmWeights& weights, const LstmExtras& extras) {
  check_weights(weights);
  LVT_ASSERT(input.dim() == 3 && input.size(2) == weights.weight_ih.size(1),
             "an LSTM's input must be [B, T, I]");
  if (!input.is_cpu()) {
    return lstm_composed(input, lengths, h0, c0, weights, extras);
  }
  const int64_t time = input.size(1);
  const PackPlan plan = plan_packing(lengths, input.size(0), time, extras.reverse);
  const ProjectedInput projected{lstm_project(to_packed(input, plan), weights), {}};
  return lstm_fused(projected, plan, time, h0, c0, weights.weight_hh, extras);
}

LstmResult lstm_words(const at::Tensor& ids, const at::Tensor& table, const at::Tensor& lengths,
                      const at::Tensor& h0, const at::Tensor& c0, const LstmWeights& weights,
                      const LstmExtras& extras) {
  if (!table.is_cpu()) {
    return lstm(at::embedding(table, ids.to(table.device())), lengths, h0, c0, weights, extras);
  }
  check_weights(weights);
  LVT_ASSERT(ids.dim() == 2 && table.size(1) == weights.weight_ih.size(1),
             "an LSTM's words must be [B, T] with a table [V, I]");
  const int64_t time = ids.size(1);
  const PackPlan plan = plan_packing(lengths, ids.size(0), time, extras.reverse);
  DistinctWords words = distinct_words(ids, plan, table.size(0));
  const ProjectedInput projected{lstm_project(at::embedding(table, words.ids), weights),
                                 std::move(words.place)};
  return lstm_fused(projected, plan, time, h0, c0, weights.weight_hh, extras);
}

at::Tensor lstm_project(const at::Tensor& input, const LstmWeights& weights) {
  return affine(input, weights.weight_ih, weights.bias_ih + weights.bias_hh);
}

void lstm_cell(const at::Tensor& projected, const std::vector<int64_t>& place,
               const at::Tensor& sentence_bias, at::Tensor& h, at::Tensor& c,
               const LstmWeights& weights) {
  const at::NoGradGuard no_grad;
  LVT_ASSERT(static_cast<int64_t>(place.size()) == h.size(0) ||
                 (place.empty() && projected.size(0) == h.size(0)),
             "a cell needs one input per sentence");
  if (h.is_cpu() && h.scalar_type() == at::kFloat) {
    LVT_ASSERT(h.is_contiguous() && c.is_contiguous(), "the states of a cell must be contiguous");
    const at::Tensor gates = at::mm(h, weights.weight_hh.t()), input = projected.contiguous();
    const at::Tensor bias = sentence_bias.defined() ? sentence_bias.contiguous() : at::Tensor();
    LstmForwardStep<float> step;
    step.rows = h.size(0);
    step.hidden = h.size(1);
    step.gates = gates.mutable_data_ptr<float>();
    step.input = input.const_data_ptr<float>();
    step.input_row = place.empty() ? nullptr : place.data();
    step.sentence_bias = bias.defined() ? bias.const_data_ptr<float>() : nullptr;
    step.c_prev = c.const_data_ptr<float>();
    step.c = c.mutable_data_ptr<float>();
    step.h = h.mutable_data_ptr<float>();
    lstm_forward_step(step);
    return;
  }
  at::Tensor input = place.empty()
                         ? projected
                         : projected.index_select(0, index_tensor(place, projected.device()));
  if (sentence_bias.defined()) {
    input = input + sentence_bias;
  }
  const auto parts = at::addmm(input, h, weights.weight_hh.t()).chunk(4, 1);
  c.copy_(at::sigmoid(parts[1]) * c + at::sigmoid(parts[0]) * at::tanh(parts[2]));
  h.copy_(at::sigmoid(parts[3]) * at::tanh(c));
}

Lstm::Lstm(const Init& init, int64_t input, int64_t hidden, double forget_bias, double bound)
    : weights_(make_weights({*this, init}, input, hidden, forget_bias, bound, "")) {}

LstmResult Lstm::forward(const at::Tensor& input, const at::Tensor& lengths, const at::Tensor& h0,
                         const at::Tensor& c0, const LstmExtras& extras) const {
  return lstm(input, lengths, h0, c0, weights_, extras);
}

LstmResult Lstm::forward_words(const at::Tensor& ids, const at::Tensor& table,
                               const at::Tensor& lengths, const at::Tensor& h0,
                               const at::Tensor& c0, const LstmExtras& extras) const {
  return lstm_words(ids, table, lengths, h0, c0, weights_, extras);
}

BidirectionalLstm::BidirectionalLstm(const Init& init, int64_t input, int64_t hidden,
                                     double forget_bias, double bound)
    : forward_(make_weights({*this, init}, input, hidden, forget_bias, bound, "")),
      reverse_(make_weights({*this, init}, input, hidden, forget_bias, bound, "_reverse")) {}

at::Tensor BidirectionalLstm::final_states(const at::Tensor& ids, const at::Tensor& table,
                                           const at::Tensor& lengths) const {
  return at::cat({lstm_words(ids, table, lengths, {}, {}, forward_).h,
                  lstm_words(ids, table, lengths, {}, {}, reverse_, {.reverse = true}).h},
                 1);
}

at::Tensor BidirectionalLstm::outputs(const at::Tensor& input, const at::Tensor& lengths) const {
  return at::cat({lstm(input, lengths, {}, {}, forward_).outputs,
                  lstm(input, lengths, {}, {}, reverse_, {.reverse = true}).outputs},
                 2);
}

}  // namespace lvtext
