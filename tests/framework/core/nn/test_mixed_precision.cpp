// Products with bfloat16 operands and float32 sums, compared with a float64 model of the same
// rounding.
#include "framework/core/base/error.h"
#include "framework/core/nn/gru.h"
#include "framework/core/nn/linear.h"
#include "framework/core/nn/lstm.h"
#include "framework/core/nn/output_layer.h"
#include "framework/core/tensor/bf16_product.h"
#include "framework/core/tensor/philox.h"
#include "framework/core/tensor/products.h"
#include "tests/catch.h"

using namespace lvtext;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

namespace {

at::Tensor draw(uint32_t use, at::IntArrayRef shape, at::ScalarType type = at::kFloat) {
  return normal_step({.seed = 23, .use = use}, shape, type);
}

/// x rounded to bfloat16, in its original type.
at::Tensor rounded(const at::Tensor& x) {
  return x.detach().to(at::kBFloat16).to(x.scalar_type());
}

/// x weight^T as defined for mixed precision, in float64: operands rounded, sums exact, forward and
/// backward.
class ModelLinear : public torch::autograd::Function<ModelLinear> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& weight) {
    ctx->save_for_backward({rounded(x), rounded(weight)});
    return at::linear(rounded(x), rounded(weight));
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const at::Tensor grad = rounded(grads[0]);
    return {at::mm(grad, saved[1]), at::mm(grad.t(), saved[0])};
  }
};

at::Tensor model_linear(const at::Tensor& x, const at::Tensor& weight) {
  return ModelLinear::apply(x, weight);
}

at::Tensor wide(const at::Tensor& x) {
  return x.detach().to(at::kDouble).requires_grad_(x.requires_grad());
}

/// |a - b| / |b| in the Frobenius norm.
double distance(const at::Tensor& a, const at::Tensor& b) {
  return ((a.to(at::kDouble) - b).norm() / b.norm()).item<double>();
}

/// An LSTM's or GRU's tensors, float32 with gradients.
struct Recurrent {
  static constexpr int64_t kBatch = 24, kTime = 21, kInput = 20, kHidden = 48;
  at::Tensor input, weight_ih, weight_hh, bias_ih, bias_hh, out_weights;

  explicit Recurrent(int64_t gates)
      : input(draw(1, {kBatch, kTime, kInput})),
        weight_ih(draw(2, {gates * kHidden, kInput}) * 0.15),
        weight_hh(draw(3, {gates * kHidden, kHidden}) * 0.15),
        bias_ih(draw(4, {gates * kHidden}) * 0.1),
        bias_hh(draw(5, {gates * kHidden}) * 0.1),
        out_weights(draw(6, {kBatch, kTime, kHidden})) {
    for (auto& x : inputs()) x.requires_grad_();
  }
  std::vector<at::Tensor> inputs() const { return {input, weight_ih, weight_hh, bias_ih, bias_hh}; }
  std::vector<at::Tensor> wide_inputs() const {
    std::vector<at::Tensor> all;
    for (const auto& x : inputs()) all.push_back(wide(x));
    return all;
  }
};

/// Outputs [B, T, H] of the equations, step by step, with products of the float64 model.
at::Tensor model_lstm(const std::vector<at::Tensor>& x) {
  const int64_t batch = x[0].size(0), hidden = x[2].size(1);
  at::Tensor h = at::zeros({batch, hidden}, at::kDouble), c = h;
  std::vector<at::Tensor> outputs;
  const at::Tensor projected =
      model_linear(x[0].transpose(0, 1).reshape({-1, x[0].size(2)}), x[1]) + (x[3] + x[4]);
  for (int64_t t = 0; t < x[0].size(1); ++t) {
    at::Tensor gates = projected.slice(0, t * batch, (t + 1) * batch);
    if (t > 0) gates = gates + model_linear(h, x[2]);
    const auto parts = gates.chunk(4, 1);
    c = at::sigmoid(parts[1]) * c + at::sigmoid(parts[0]) * at::tanh(parts[2]);
    h = at::sigmoid(parts[3]) * at::tanh(c);
    outputs.push_back(h);
  }
  return at::stack(outputs, 1);
}

at::Tensor model_gru(const std::vector<at::Tensor>& x) {
  const int64_t batch = x[0].size(0), hidden = x[2].size(1);
  at::Tensor h = at::zeros({batch, hidden}, at::kDouble);
  std::vector<at::Tensor> outputs;
  const at::Tensor projected =
      model_linear(x[0].transpose(0, 1).reshape({-1, x[0].size(2)}), x[1]) + x[3];
  for (int64_t t = 0; t < x[0].size(1); ++t) {
    const auto in = projected.slice(0, t * batch, (t + 1) * batch).chunk(3, 1);
    const auto recurrent = (model_linear(h, x[2]) + x[4]).chunk(3, 1);
    const at::Tensor r = at::sigmoid(in[0] + recurrent[0]), z = at::sigmoid(in[1] + recurrent[1]);
    const at::Tensor n = at::tanh(in[2] + r * recurrent[2]);
    h = n + z * (h - n);
    outputs.push_back(h);
  }
  return at::stack(outputs, 1);
}

/// Values within float32 rounding of the model's, gradients within 0.05 %: where float32 and
/// float64 are on different sides of a rounding boundary, single operands differ.
void check_against_model(const Recurrent& r, const at::Tensor& outputs, const at::Tensor& expected,
                         const std::vector<at::Tensor>& wide_inputs) {
  CHECK(distance(outputs, expected) < 2e-4);
  const auto grads = torch::autograd::grad({(outputs * r.out_weights).sum()}, r.inputs());
  const auto exact =
      torch::autograd::grad({(expected * r.out_weights.to(at::kDouble)).sum()}, wide_inputs);
  for (size_t i = 0; i < grads.size(); ++i) {
    INFO("input " << i);
    CHECK(grads[i].scalar_type() == at::kFloat);
    CHECK(distance(grads[i], exact[i]) < 5e-4);
  }
}

}  // namespace

TEST_CASE("mixed precision: MKL's product equals float64's for every layout", "[nn]") {
  const int64_t n = 13, k = 37, m = 22;
  const bool a_turned = GENERATE(false, true), b_turned = GENERATE(false, true);
  const at::Tensor a = rounded(draw(1, {n, k})), b = rounded(draw(2, {k, m}));
  const auto layout = [](const at::Tensor& x, bool turned) {
    const at::Tensor low = x.to(at::kBFloat16);
    return turned ? low.t().contiguous().t() : low;
  };
  const at::Tensor exact = at::mm(a.to(at::kDouble), b.to(at::kDouble));
  at::Tensor out = draw(3, {n, m}), before = out.clone();
  bf16_product(out, layout(a, a_turned), layout(b, b_turned), false, Bf16Support::kMkl);
  CHECK(distance(out, exact) < 1e-6);
  out = before.clone();
  bf16_product(out, layout(a, a_turned), layout(b, b_turned), true, Bf16Support::kMkl);
  CHECK(distance(out, exact + before) < 1e-6);
  // A submatrix of a wider matrix, and one column.
  const at::Tensor part = draw(4, {n, 2 * k}).to(at::kBFloat16).slice(1, 3, 3 + k);
  bf16_product(out, part, layout(b, b_turned), false, Bf16Support::kMkl);
  CHECK(distance(out, at::mm(part.to(at::kDouble), b.to(at::kDouble))) < 1e-6);
  at::Tensor column = at::empty({n, 1});
  bf16_product(column, part, layout(b, b_turned).slice(1, 0, 1), false, Bf16Support::kMkl);
  CHECK(distance(column, at::mm(part.to(at::kDouble), b.to(at::kDouble).slice(1, 0, 1))) < 1e-6);
}

TEST_CASE("mixed precision: a scope rounds operands, nests and restores the previous state",
          "[nn]") {
  const at::Tensor x = draw(1, {3, 5}), weight = draw(2, {4, 5}), bias = draw(3, {4});
  const at::Tensor exact = at::linear(x, weight, bias);
  CHECK(affine(x, weight, bias).equal(exact));
  {
    const MixedPrecisionScope mixed(true);
    const at::Tensor expected = at::linear(rounded(x), rounded(weight), bias);
    CHECK(affine(x, weight, bias).allclose(expected, 1e-6, 1e-6));
    CHECK_FALSE(affine(x, weight, bias).allclose(exact, 1e-5, 1e-5));
    {
      const MixedPrecisionScope full(false);
      CHECK(affine(x, weight, bias).equal(exact));
    }
    CHECK(MixedPrecisionScope::active());
    CHECK(affine(x.to(at::kDouble), weight.to(at::kDouble)).scalar_type() == at::kDouble);
    // Leading dimensions are kept.
    CHECK(affine(x.view({3, 1, 5}), weight, bias).sizes() == at::IntArrayRef({3, 1, 4}));
  }
  CHECK_FALSE(MixedPrecisionScope::active());
  CHECK(affine(x, weight, bias).equal(exact));
}

TEST_CASE("mixed precision: parameters are rounded once per scope, and again in the next", "[nn]") {
  at::Tensor weight = draw(1, {4, 4});
  {
    const MixedPrecisionScope mixed(true);
    CHECK(parameter_operand(weight).is_same(parameter_operand(weight)));
    {
      const MixedPrecisionScope inner(true);
      parameter_operand(weight);
    }
    CHECK(parameter_operand(weight).to(at::kFloat).equal(rounded(weight)));
  }
  weight.mul_(3);
  const MixedPrecisionScope mixed(true);
  CHECK(parameter_operand(weight).to(at::kFloat).equal(rounded(weight)));
}

TEST_CASE("mixed precision: gradients of a linear layer are rounded products in float32", "[nn]") {
  const at::Tensor x = draw(1, {40, 24}).requires_grad_(), w = draw(2, {16, 24}).requires_grad_(),
                   weights = draw(3, {40, 16});
  at::Tensor y;
  {
    const MixedPrecisionScope mixed(true);
    y = affine(x, w);
  }
  const at::Tensor wide_x = wide(x), wide_w = wide(w);
  const auto exact = torch::autograd::grad(
      {(model_linear(wide_x, wide_w) * weights.to(at::kDouble)).sum()}, {wide_x, wide_w});
  const auto grads = torch::autograd::grad({(y * weights).sum()}, {x, w}, {}, true);
  CHECK(distance(grads[0], exact[0]) < 1e-6);
  CHECK(distance(grads[1], exact[1]) < 1e-6);
  CHECK_THROWS_WITH(torch::autograd::grad({(y * weights).sum()}, {x}, {}, true, true),
                    Catch::Contains("no second derivative"));
}

TEST_CASE("mixed precision: the fused and the composed LSTM compute the same values", "[nn]") {
  const Recurrent r(4);
  const Lstm layer({r.weight_ih, r.weight_hh, r.bias_ih, r.bias_hh});
  const bool fused = GENERATE(true, false);
  at::Tensor outputs;
  {
    const MixedPrecisionScope mixed(true);
    outputs = (fused ? layer.forward(r.input, {}) : layer.forward_composed(r.input, {})).outputs;
  }
  const auto wide_inputs = r.wide_inputs();
  check_against_model(r, outputs, model_lstm(wide_inputs), wide_inputs);
}

TEST_CASE("mixed precision: the GRU", "[nn]") {
  const Recurrent r(3);
  const Gru layer({r.weight_ih, r.weight_hh, r.bias_ih, r.bias_hh});
  at::Tensor outputs;
  {
    const MixedPrecisionScope mixed(true);
    outputs = layer.forward(r.input, {}).outputs;
  }
  const auto wide_inputs = r.wide_inputs();
  check_against_model(r, outputs, model_gru(wide_inputs), wide_inputs);
}

TEST_CASE("mixed precision: masks, states and sentence bias of the fused LSTM", "[nn]") {
  const Recurrent r(4);
  const Lstm layer({r.weight_ih, r.weight_hh, r.bias_ih, r.bias_hh});
  const at::Tensor lengths = at::arange(Recurrent::kBatch).remainder(Recurrent::kTime + 1);
  const auto state = [](uint32_t use) {
    return draw(use, {Recurrent::kBatch, Recurrent::kHidden}).requires_grad_();
  };
  const at::Tensor h0 = state(10), c0 = state(11);
  RecurrentExtras extras;
  extras.sentence_bias = draw(12, {Recurrent::kBatch, 4 * Recurrent::kHidden}).requires_grad_();
  extras.mask_h = (draw(13, {Recurrent::kBatch, Recurrent::kHidden}) > 0).to(at::kFloat) * 2;
  auto inputs = r.inputs();
  inputs.insert(inputs.end(), {h0, c0, extras.sentence_bias});
  const auto gradients = [&](const RecurrentResult& result) {
    return torch::autograd::grad({(result.outputs * r.out_weights).sum() + result.state.h.sum()},
                                 inputs);
  };
  const MixedPrecisionScope mixed(true);
  const auto fused = gradients(layer.forward(r.input, lengths, {h0, c0}, extras));
  const auto composed = gradients(layer.forward_composed(r.input, lengths, {h0, c0}, extras));
  for (size_t i = 0; i < inputs.size(); ++i) {
    INFO("input " << i);
    CHECK(distance(fused[i], composed[i].to(at::kDouble)) < 5e-4);
  }
}

TEST_CASE("mixed precision: the output layer's cross entropy and gradients", "[nn]") {
  const at::Tensor hidden = draw(1, {70, 32}).requires_grad_(),
                   weight = (draw(2, {333, 32}) * 0.3).requires_grad_(),
                   bias = draw(3, {333}).requires_grad_(),
                   targets = (uniform_step({.seed = 5}, {70}, at::kDouble) * 333).to(at::kLong);
  at::Tensor sum, rows;
  {
    const MixedPrecisionScope mixed(true);
    sum = output_loss_sum(hidden, weight, bias, targets);
    rows = output_loss_rows(hidden, weight, bias, targets);
  }
  const std::vector<at::Tensor> exact_inputs = {wide(hidden), wide(weight), wide(bias)};
  const at::Tensor exact = at::cross_entropy_loss(
      model_linear(exact_inputs[0], exact_inputs[1]) + exact_inputs[2], targets, {}, 0);
  CHECK(sum.item<double>() == Approx(exact.sum().item<double>()).epsilon(1e-6));
  CHECK(distance(rows, exact) < 1e-6);
  const auto expected = torch::autograd::grad({exact.sum()}, exact_inputs);
  for (const at::Tensor& loss : {sum, rows.sum()}) {
    const auto grads = torch::autograd::grad({loss}, {hidden, weight, bias});
    for (size_t i = 0; i < grads.size(); ++i) {
      INFO("input " << i);
      CHECK(distance(grads[i], expected[i]) < 5e-4);
    }
  }
}
