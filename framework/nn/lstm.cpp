#include "framework/nn/lstm.h"

#include <cmath>

#include "framework/base/error.h"
#include "framework/nn/init.h"
#include "framework/nn/lstm_fused.h"
#include "framework/nn/lstm_kernels.h"

namespace lvtext {
namespace {

void check_shapes(const at::Tensor& input, const LstmWeights& weights) {
  const int64_t hidden = weights.weight_hh.size(1);
  LVT_ASSERT(input.dim() == 3 && input.size(2) == weights.weight_ih.size(1),
             "an LSTM's input must be [B, T, I]");
  LVT_ASSERT(weights.weight_ih.size(0) == 4 * hidden && weights.weight_hh.size(0) == 4 * hidden,
             "an LSTM's weights must be [4H, I] and [4H, H]");
}

/// Registers one direction's parameters; torch appends "_reverse" to the second direction's names.
LstmWeights make_weights(torch::nn::Module& owner, int64_t input, int64_t hidden, uint64_t seed,
                         std::string_view name, double forget_bias, double bound,
                         const std::string& suffix) {
  const double limit = bound < 0 ? 1 / std::sqrt(static_cast<double>(hidden)) : bound;
  const auto parameter = [&](const std::string& part, at::IntArrayRef shape) {
    const std::string own = part + suffix;
    return uniform_init(shape, limit, seed, std::string(name) + "." + own);
  };
  LstmWeights weights{parameter("weight_ih_l0", {4 * hidden, input}),
                      parameter("weight_hh_l0", {4 * hidden, hidden}),
                      parameter("bias_ih_l0", {4 * hidden}), parameter("bias_hh_l0", {4 * hidden})};
  weights.bias_ih.slice(0, hidden, 2 * hidden).add_(forget_bias);
  owner.register_parameter("weight_ih_l0" + suffix, weights.weight_ih);
  owner.register_parameter("weight_hh_l0" + suffix, weights.weight_hh);
  owner.register_parameter("bias_ih_l0" + suffix, weights.bias_ih);
  owner.register_parameter("bias_hh_l0" + suffix, weights.bias_hh);
  return weights;
}

}  // namespace

LstmResult lstm(const at::Tensor& input, const at::Tensor& lengths, const at::Tensor& h0,
                const at::Tensor& c0, const LstmWeights& weights, const LstmExtras& extras) {
  check_shapes(input, weights);
  if (!input.is_cpu()) {
    return lstm_composed(input, lengths, h0, c0, weights, extras);
  }
  const auto start = [&](const at::Tensor& given) {
    return given.defined()
               ? given
               : at::zeros({input.size(0), weights.weight_hh.size(1)}, input.options());
  };
  return lstm_fused(input, lengths, start(h0), start(c0), weights, extras);
}

at::Tensor lstm_project(const at::Tensor& input, const LstmWeights& weights) {
  return at::linear(input, weights.weight_ih, weights.bias_ih + weights.bias_hh);
}

void lstm_cell(const at::Tensor& projected, at::Tensor& h, at::Tensor& c,
               const LstmWeights& weights) {
  const at::NoGradGuard no_grad;
  const at::Tensor gates = at::addmm(projected, h, weights.weight_hh.t());
  if (h.is_cpu() && h.scalar_type() == at::kFloat) {
    LVT_ASSERT(h.is_contiguous() && c.is_contiguous(), "the states of a cell must be contiguous");
    lstm_forward_step(LstmForwardStep<float>{
        h.size(0), h.size(1), gates.mutable_data_ptr<float>(), c.const_data_ptr<float>(),
        c.mutable_data_ptr<float>(), h.mutable_data_ptr<float>()});
    return;
  }
  const auto parts = gates.chunk(4, 1);
  c.copy_(at::sigmoid(parts[1]) * c + at::sigmoid(parts[0]) * at::tanh(parts[2]));
  h.copy_(at::sigmoid(parts[3]) * at::tanh(c));
}

Lstm::Lstm(int64_t input, int64_t hidden, uint64_t seed, std::string_view name, double forget_bias,
           double bound)
    : weights_(make_weights(*this, input, hidden, seed, name, forget_bias, bound, "")) {}

LstmResult Lstm::forward(const at::Tensor& input, const at::Tensor& lengths, const at::Tensor& h0,
                         const at::Tensor& c0, const LstmExtras& extras) const {
  return lstm(input, lengths, h0, c0, weights_, extras);
}

BidirectionalLstm::BidirectionalLstm(int64_t input, int64_t hidden, uint64_t seed,
                                     std::string_view name, double forget_bias, double bound)
    : forward_(make_weights(*this, input, hidden, seed, name, forget_bias, bound, "")),
      reverse_(make_weights(*this, input, hidden, seed, name, forget_bias, bound, "_reverse")) {}

at::Tensor BidirectionalLstm::final_states(const at::Tensor& input,
                                           const at::Tensor& lengths) const {
  return at::cat({lstm(input, lengths, {}, {}, forward_).h,
                  lstm(input, lengths, {}, {}, reverse_, {.reverse = true}).h},
                 1);
}

at::Tensor BidirectionalLstm::outputs(const at::Tensor& input, const at::Tensor& lengths) const {
  return at::cat({lstm(input, lengths, {}, {}, forward_).outputs,
                  lstm(input, lengths, {}, {}, reverse_, {.reverse = true}).outputs},
                 2);
}

}  // namespace lvtext
