#include "framework/core/nn/dropout.h"
#include "framework/core/nn/gru.h"
#include "tests/catch.h"
#include "tests/framework/core/nn/gradients.h"

using namespace lvtext;

namespace {

at::Tensor draw(const char* use, at::IntArrayRef shape, at::ScalarType type) {
  return normal_step({.seed = 5, .use = noise_use(use)}, shape, type) * 0.7;
}

at::Tensor matrix(const std::vector<double>& values, int64_t columns) {
  return at::tensor(values, at::kDouble).view({-1, columns});
}

}  // namespace

TEST_CASE("gru: equals LibTorch's GRU", "[nn]") {
  torch::nn::Module owner;
  const Gru layer({owner, {1, "layer"}}, 9, 6);
  const auto& w = layer.weights();
  const auto input = draw("x", {4, 7, 9}, at::kFloat), h0 = draw("h", {4, 6}, at::kFloat);
  const auto ours = layer.forward(input, {}, {h0});
  const auto theirs =
      at::gru(input, h0.unsqueeze(0), {w.weight_ih, w.weight_hh, w.bias_ih, w.bias_hh}, true, 1,
              0.0, false, false, true);
  CHECK(ours.outputs.allclose(std::get<0>(theirs), 1e-5, 1e-6));
  CHECK(ours.state.h.allclose(std::get<1>(theirs)[0], 1e-5, 1e-6));
  RecurrentState state{h0};
  for (int64_t t = 0; t < 7; ++t) layer.step(input.select(1, t), {}, {}, state);
  CHECK(state.h.allclose(ours.state.h, 1e-5, 1e-6));
  const auto words =
      layer.forward_words(at::arange(28).view({4, 7}), input.flatten(0, 1), {}, {h0});
  CHECK(words.outputs.allclose(ours.outputs, 1e-5, 1e-6));
}

TEST_CASE("gru: a step with the reset gate on either side of the product matches numeric cases",
          "[nn]") {
  const at::Tensor x = matrix({0.5, -1}, 2), h = matrix({0.2, -0.4}, 2);
  // Kernels of TensorFlow: rows x1, x2, h1, h2, columns r1, r2, u1, u2 or c1, c2.
  const at::Tensor gates = matrix({0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, -0.8,  //
                                   0.2, 0.1, -0.1, 0.3, -0.3, 0.4, 0.2, -0.5},
                                  4);
  const at::Tensor candidate = matrix({0.3, -0.1, 0.2, 0.6, -0.4, 0.5, 0.7, 0.1}, 2);
  const at::Tensor kernel = at::cat({gates, candidate}, 1).t();  // [3H, I + H]
  const at::Tensor bias = at::tensor({1., 1., 1., 1., 0., 0.}, at::kDouble);
  const auto next = [&](ResetGate reset, const at::Tensor& bias_ih, const at::Tensor& bias_hh) {
    const Gru layer({kernel.slice(1, 0, 2), kernel.slice(1, 2), bias_ih, bias_hh}, reset);
    RecurrentState stepped{h};
    layer.step(x, {}, {}, stepped);
    const at::Tensor run = layer.forward(x.unsqueeze(1), {}, {h}).state.h;
    CHECK(run.allclose(stepped.h, 1e-12, 1e-12));
    return run;
  };
  const at::Tensor before = matrix({-0.01302533, -0.41393641}, 2);
  CHECK(next(ResetGate::kBeforeProduct, bias, {}).allclose(before, 0, 1e-8));
  CHECK(next(ResetGate::kBeforeProduct, bias / 4, 3 * bias / 4).allclose(before, 0, 1e-8));
  CHECK(next(ResetGate::kAfterProduct, bias, at::zeros_like(bias))
            .allclose(matrix({0.00018262, -0.41310126}, 2), 0, 1e-8));
}

TEST_CASE("gru: lengths, direction, bias and mask equal processing one sentence at a time",
          "[nn]") {
  const bool reverse = GENERATE(false, true), initial = GENERATE(false, true);
  const auto reset_gate = GENERATE(ResetGate::kAfterProduct, ResetGate::kBeforeProduct);
  const int64_t hidden = 3;
  const RecurrentWeights w{draw("a", {9, 2}, at::kDouble), draw("b", {9, 3}, at::kDouble),
                           draw("c", {9}, at::kDouble), draw("d", {9}, at::kDouble)};
  const auto input = draw("x", {4, 5, 2}, at::kDouble), h0 = draw("h", {4, 3}, at::kDouble);
  const auto bias = draw("e", {4, 9}, at::kDouble);
  const auto mask = variational_mask({.seed = 1}, at::arange(4), hidden, 0.5, at::kDouble);
  const auto lengths = at::tensor({2, 5, 0, 3}, at::kLong);
  const auto r = Gru(w, reset_gate)
                     .forward(input, lengths, {h0},
                              {.sentence_bias = bias,
                               .mask_h = mask,
                               .mask_initial_state = initial,
                               .reverse = reverse});
  for (int64_t b = 0; b < 4; ++b) {
    const int64_t length = lengths[b].item<int64_t>();
    at::Tensor h = h0[b];
    for (int64_t n = 0; n < length; ++n) {
      const int64_t t = reverse ? length - 1 - n : n;
      const auto in = (w.weight_ih.mv(input[b][t]) + w.bias_ih + bias[b]).chunk(3);
      const auto h_in = n > 0 || initial ? h * mask[b] : h;
      const auto rec = (w.weight_hh.mv(h_in) + w.bias_hh).chunk(3);
      const auto reset = (in[0] + rec[0]).sigmoid(), update = (in[1] + rec[1]).sigmoid();
      const at::Tensor from_state =
          reset_gate == ResetGate::kAfterProduct
              ? reset * rec[2]
              : w.weight_hh.slice(0, 2 * hidden).mv(reset * h_in) + w.bias_hh.slice(0, 2 * hidden);
      h = (1 - update) * (in[2] + from_state).tanh() + update * h;
      CHECK(r.outputs[b][t].allclose(h, 1e-12, 1e-12));
    }
    CHECK(r.outputs[b].slice(0, length).abs().sum().item<double>() == 0);
    CHECK(r.state.h[b].allclose(h, 1e-12, 1e-12));
  }
  check_gradients({input, h0, bias, w.weight_ih, w.weight_hh, w.bias_ih, w.bias_hh},
                  [&](const std::vector<at::Tensor>& v) {
                    const auto out = Gru({v[3], v[4], v[5], v[6]}, reset_gate)
                                         .forward(v[0], lengths, {v[1]},
                                                  {.sentence_bias = v[2],
                                                   .mask_h = mask,
                                                   .mask_initial_state = initial,
                                                   .reverse = reverse});
                    return weighted_sum({out.outputs, out.state.h});
                  });
}
