#include "framework/core/nn/dropout.h"
#include "framework/core/nn/lstm.h"
#include "tests/catch.h"
#include "tests/framework/core/nn/gradients.h"

using namespace lvtext;

namespace {

/// Specification case C8: an LSTM of two units with weights given by formulas.
RecurrentWeights c8_weights() {
  RecurrentWeights w{at::empty({8, 2}, at::kDouble), at::empty({8, 2}, at::kDouble),
                     at::tensor({-0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5}, at::kDouble),
                     at::zeros({8}, at::kDouble)};
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 2; ++c) {
      w.weight_ih[r][c] = 0.05 * (2 * r + c + 1) - 0.4;
      w.weight_hh[r][c] = 0.03 * (16 - 2 * r - c) - 0.25;
    }
  }
  return w;
}

at::Tensor values_row(const std::vector<double>& values) {
  return at::tensor(values, at::kDouble).unsqueeze(0);
}

struct Setup {
  at::Tensor input, lengths, h0, c0, bias, mask_h, mask_c;
  RecurrentWeights weights;
};

/// Five sentences of lengths 4, 1, 6, 6, 0 with all optional inputs.
Setup make_setup(at::ScalarType type) {
  const int64_t batch = 5, time = 6, in = 3, hidden = 4;
  const auto draw = [&](const char* use, at::IntArrayRef shape) {
    return normal_step({.seed = 5, .use = noise_use(use)}, shape, type) * 0.7;
  };
  const NoiseKey masks{.seed = 6};
  return {draw("x", {batch, time, in}),
          at::tensor({4, 1, 6, 6, 0}, at::kLong),
          draw("h0", {batch, hidden}),
          draw("c0", {batch, hidden}),
          draw("bias", {batch, 4 * hidden}),
          variational_mask(masks, at::arange(batch), hidden, 0.4, type),
          variational_mask(masks, at::arange(batch) + 10, hidden, 0.3, type),
          {draw("wih", {4 * hidden, in}), draw("whh", {4 * hidden, hidden}),
           draw("bih", {4 * hidden}), draw("bhh", {4 * hidden})}};
}

RecurrentExtras all_extras(const Setup& s, bool reverse, bool initial) {
  return {.sentence_bias = s.bias,
          .mask_h = s.mask_h,
          .mask_c = s.mask_c,
          .mask_initial_state = initial,
          .reverse = reverse};
}

/// One sentence, one step at a time, from the equations.
std::vector<at::Tensor> by_hand(const Setup& s, int64_t b, bool reverse, bool initial) {
  const int64_t length = s.lengths[b].item<int64_t>();
  at::Tensor h = s.h0[b], c = s.c0[b];
  std::vector<at::Tensor> states(length);
  for (int64_t n = 0; n < length; ++n) {
    const int64_t t = reverse ? length - 1 - n : n;
    const bool masks = n > 0 || initial;
    const auto h_in = masks ? h * s.mask_h[b] : h, c_in = masks ? c * s.mask_c[b] : c;
    const auto gates = (s.weights.weight_ih.mv(s.input[b][t]) + s.weights.weight_hh.mv(h_in) +
                        s.weights.bias_ih + s.weights.bias_hh + s.bias[b])
                           .chunk(4);
    c = gates[1].sigmoid() * c_in + gates[0].sigmoid() * gates[2].tanh();
    h = gates[3].sigmoid() * c.tanh();
    states[t] = h;
  }
  states.push_back(h);
  states.push_back(c);
  return states;
}

}  // namespace

TEST_CASE("lstm: two steps with and without variational masks match the numeric case", "[nn]") {
  const auto w = c8_weights();
  const auto x1 = values_row({1, -0.5}), x2 = values_row({0.25, 0.75});
  const auto h0 = values_row({0.1, -0.2}), c0 = values_row({0.05, 0.3});
  const auto run = [&](bool masked, bool initial, int64_t length) {
    auto input = at::stack({x1, x2}, 1);
    RecurrentExtras extras;
    if (masked) {
      input = apply_variational(input, values_row({2.5, 0}));
      extras.mask_h = values_row({0, 2.5});
      extras.mask_initial_state = initial;
    }
    const auto result = Lstm(w).forward(input, at::tensor({length}, at::kLong), {h0, c0}, extras);
    return at::cat({result.state.h, result.state.c}, 1);
  };
  const auto check = [](const at::Tensor& got, const std::vector<double>& h,
                        const std::vector<double>& c) {
    CHECK(got.allclose(at::cat({values_row(h), values_row(c)}, 1), 0, 1e-8));
  };
  check(run(false, false, 1), {0.06543732, 0.19616739}, {0.10476165, 0.30518158});
  check(run(false, false, 2), {0.10120376, 0.23235891}, {0.15540239, 0.34674479});
  check(run(true, false, 1), {0.07429010, 0.26374042}, {0.10078331, 0.34145754});
  check(run(true, false, 2), {0.08255942, 0.19972878}, {0.13599419, 0.32305223});
  check(run(true, true, 1), {0.07353589, 0.26718581}, {0.09820628, 0.34025386});
  check(run(true, true, 2), {0.08173480, 0.19908850}, {0.13469242, 0.32217902});
}

TEST_CASE("lstm: equals the equations for every length, mask and direction", "[nn]") {
  const bool reverse = GENERATE(false, true), initial = GENERATE(false, true);
  const auto type = GENERATE(at::kFloat, at::kDouble);
  const double tolerance = type == at::kDouble ? 1e-12 : 1e-6;
  const Setup s = make_setup(type);
  const auto extras = all_extras(s, reverse, initial);
  const Lstm layer(s.weights);
  const auto fused = layer.forward(s.input, s.lengths, {s.h0, s.c0}, extras);
  const auto composed = layer.forward_composed(s.input, s.lengths, {s.h0, s.c0}, extras);
  CHECK(fused.outputs.allclose(composed.outputs, tolerance, tolerance));
  CHECK(fused.state.h.allclose(composed.state.h, tolerance, tolerance));
  CHECK(fused.state.c.allclose(composed.state.c, tolerance, tolerance));
  for (int64_t b = 0; b < 5; ++b) {
    const auto states = by_hand(s, b, reverse, initial);
    const auto length = static_cast<int64_t>(states.size()) - 2;
    for (int64_t t = 0; t < length; ++t) {
      CHECK(fused.outputs[b][t].allclose(states[t], tolerance, tolerance));
    }
    CHECK(fused.outputs[b].slice(0, length).abs().sum().item<double>() == 0);
    CHECK(fused.state.h[b].allclose(states[length], tolerance, tolerance));
    CHECK(fused.state.c[b].allclose(states[length + 1], tolerance, tolerance));
  }
}

TEST_CASE("lstm: equals LibTorch's LSTM, values and gradients", "[nn]") {
  const NoiseKey key{.seed = 9};
  torch::nn::Module owner;
  const Lstm layer({owner, {1, "layer"}}, 33, 50);
  const auto& w = layer.weights();
  const auto input = normal_step(key, {7, 11, 33}, at::kFloat).requires_grad_();
  const auto ours = layer.forward(input, {});
  const auto zeros = at::zeros({1, 7, 50});
  const std::vector<at::Tensor> params{w.weight_ih, w.weight_hh, w.bias_ih, w.bias_hh};
  const auto theirs = at::lstm(input, {zeros, zeros}, params, true, 1, 0.0, false, false, true);
  CHECK(ours.outputs.allclose(std::get<0>(theirs), 1e-5, 1e-6));
  CHECK(ours.state.h.allclose(std::get<1>(theirs)[0], 1e-5, 1e-6));
  CHECK(ours.state.c.allclose(std::get<2>(theirs)[0], 1e-5, 1e-6));
  const auto upstream = normal_step({.seed = 10}, {7, 11, 50}, at::kFloat);
  std::vector<at::Tensor> inputs = params;
  inputs.push_back(input);
  const auto a =
      torch::autograd::grad({(ours.outputs * upstream).sum() + ours.state.c.sum()}, inputs);
  const auto b = torch::autograd::grad(
      {(std::get<0>(theirs) * upstream).sum() + std::get<2>(theirs).sum()}, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    CHECK(a[i].allclose(b[i], 1e-4, 1e-4));
  }
}

TEST_CASE("lstm: gradients agree with finite differences", "[nn]") {
  const bool reverse = GENERATE(false, true), initial = GENERATE(false, true);
  const Setup s = make_setup(at::kDouble);
  check_gradients(
      {s.input, s.h0, s.c0, s.bias, s.weights.weight_ih, s.weights.weight_hh, s.weights.bias_ih,
       s.weights.bias_hh},
      [&](const std::vector<at::Tensor>& v) {
        auto extras = all_extras(s, reverse, initial);
        extras.sentence_bias = v[3];
        const auto r =
            Lstm({v[4], v[5], v[6], v[7]}).forward(v[0], s.lengths, {v[1], v[2]}, extras);
        return weighted_sum({r.outputs, r.state.h, r.state.c});
      });
}

TEST_CASE("lstm: gradients agree with finite differences if only final states are used", "[nn]") {
  const Setup s = make_setup(at::kDouble);
  check_gradients({s.input, s.weights.weight_hh}, [&](const std::vector<at::Tensor>& v) {
    auto weights = s.weights;
    weights.weight_hh = v[1];
    return weighted_sum({Lstm(weights).forward(v[0], s.lengths).state.h});
  });
}

TEST_CASE("lstm: padding and its content do not change results", "[nn]") {
  const Setup s = make_setup(at::kFloat);
  const auto padded =
      at::cat({s.input, at::full({5, 3, 3}, 1e30)}, 1)
          .masked_fill((at::arange(9).unsqueeze(0) >= s.lengths.unsqueeze(1)).unsqueeze(2), NAN);
  const auto a = Lstm(s.weights).forward(s.input, s.lengths, {s.h0, s.c0});
  const auto b = Lstm(s.weights).forward(padded, s.lengths, {s.h0, s.c0});
  CHECK(a.outputs.equal(b.outputs.slice(1, 0, 6)));
  CHECK(b.outputs.slice(1, 6).abs().sum().item<float>() == 0);
  CHECK(a.state.h.equal(b.state.h));
  CHECK(a.state.c.equal(b.state.c));
}

TEST_CASE("lstm: an empty batch of words returns the initial states", "[nn]") {
  const Setup s = make_setup(at::kFloat);
  const auto r = Lstm(s.weights).forward(s.input, at::zeros({5}, at::kLong), {s.h0, s.c0});
  CHECK(r.state.h.equal(s.h0));
  CHECK(r.state.c.equal(s.c0));
  CHECK_THROWS_AS(Lstm(s.weights).forward(s.input, at::full({5}, 7), {s.h0, s.c0}),
                  std::logic_error);
}

TEST_CASE("lstm: a gradient penalty through the fused operation is rejected", "[nn]") {
  const Setup s = make_setup(at::kDouble);
  const auto input = s.input.clone().requires_grad_();
  const auto out = Lstm(s.weights).forward(input, s.lengths, {s.h0, s.c0}).outputs.sum();
  CHECK_THROWS_WITH(torch::autograd::grad({out}, {input}, {}, true, true),
                    Contains("second derivative"));
  const auto composed =
      Lstm(s.weights).forward_composed(input, s.lengths, {s.h0, s.c0}).outputs.sum();
  const auto gradient = torch::autograd::grad({composed}, {input}, {}, true, true)[0];
  CHECK(torch::autograd::grad({gradient.pow(2).sum()}, {input})[0].abs().sum().item<double>() > 0);
}

TEST_CASE("lstm: steps of the decoding cell equal the whole sequence", "[nn]") {
  const auto type = GENERATE(at::kFloat, at::kDouble);
  const Setup s = make_setup(type);
  const Lstm layer(s.weights);
  const auto whole = layer.forward(s.input, {}, {s.h0, s.c0}, {.sentence_bias = s.bias});
  RecurrentState state{s.h0.clone(), s.c0.clone()};
  for (int64_t t = 0; t < 6; ++t) {
    layer.step(s.input.select(1, t), {}, s.bias, state);
    CHECK(state.h.allclose(whole.outputs.select(1, t), 1e-6, 1e-6));
  }
  CHECK(state.c.allclose(whole.state.c, 1e-6, 1e-6));
  // Eighths have exact products and sums: shared rows are bitwise identical.
  const auto eighths = [](const at::Tensor& x) { return (x * 8).round() / 8; };
  const Lstm exact({eighths(s.weights.weight_ih), s.weights.weight_hh, eighths(s.weights.bias_ih),
                    eighths(s.weights.bias_hh)});
  const std::vector<int64_t> index{2, 0, 0, 1, 2};
  const auto few = eighths(normal_step({.seed = 3}, {3, 3}, type));
  RecurrentState other{state.h.clone(), state.c.clone()};
  exact.step(few, index, {}, other);
  exact.step(few.index_select(0, at::tensor({2, 0, 0, 1, 2}, at::kLong)), {}, {}, state);
  CHECK(state.h.equal(other.h));
  CHECK(state.c.equal(other.c));
}

TEST_CASE("lstm: inputs given as words equal their vectors, values and gradients", "[nn]") {
  const bool reverse = GENERATE(false, true), states = GENERATE(false, true);
  const Setup s = make_setup(at::kDouble);
  const auto table = normal_step({.seed = 12}, {4, 3}, at::kDouble).requires_grad_();
  const auto ids = (uniform_step({.seed = 13}, {5, 6}, at::kDouble) * 3).to(at::kLong);
  RecurrentWeights w = s.weights;
  std::vector<at::Tensor> inputs{table};
  for (at::Tensor* each : {&w.weight_ih, &w.weight_hh, &w.bias_ih, &w.bias_hh}) {
    each->requires_grad_();
    inputs.push_back(*each);
  }
  const auto extras = all_extras(s, reverse, false);
  const RecurrentState initial = states ? RecurrentState{s.h0, s.c0} : RecurrentState{};
  const Lstm layer(w);
  const auto a = layer.forward_words(ids, table, s.lengths, initial, extras);
  const auto b = layer.forward_composed(at::embedding(table, ids), s.lengths, initial, extras);
  CHECK(a.outputs.allclose(b.outputs, 1e-12, 1e-12));
  CHECK(a.state.c.allclose(b.state.c, 1e-12, 1e-12));
  const auto ours =
      torch::autograd::grad({weighted_sum({a.outputs, a.state.h, a.state.c})}, inputs);
  const auto theirs =
      torch::autograd::grad({weighted_sum({b.outputs, b.state.h, b.state.c})}, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    CHECK(ours[i].allclose(theirs[i], 1e-10, 1e-10));
  }
  CHECK(ours[0][3].abs().sum().item<double>() == 0);  // word 3 does not occur
  CHECK_THROWS_AS(layer.forward_words(ids + 2, table, s.lengths, initial, extras),
                  std::logic_error);
}

TEST_CASE("lstm: gradients agree with finite differences without initial states", "[nn]") {
  const bool masked = GENERATE(false, true);
  const Setup s = make_setup(at::kDouble);
  const auto lengths = masked ? s.lengths : at::full({5}, 1, at::kLong);
  const RecurrentExtras extras = masked ? all_extras(s, false, false) : RecurrentExtras{};
  check_gradients({s.input, s.weights.weight_hh}, [&](const std::vector<at::Tensor>& v) {
    auto weights = s.weights;
    weights.weight_hh = v[1];
    const auto r = Lstm(weights).forward(v[0], lengths, {}, extras);
    return weighted_sum({r.outputs, r.state.c});
  });
}

TEST_CASE("lstm: parameters have torch's names and depend only on seed and name", "[nn]") {
  torch::nn::Module owners[5];
  const Lstm a({owners[0], {1, "a"}}, 3, 4), same({owners[1], {1, "a"}}, 3, 4),
      other({owners[2], {1, "b"}}, 3, 4), seeded({owners[3], {2, "a"}}, 3, 4);
  CHECK(owners[0].named_parameters().keys() ==
        std::vector<std::string>{"weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"});
  CHECK(a.weights().weight_hh.equal(same.weights().weight_hh));
  CHECK_FALSE(a.weights().weight_hh.equal(other.weights().weight_hh));
  CHECK_FALSE(a.weights().weight_hh.equal(seeded.weights().weight_hh));
  CHECK(a.weights().weight_ih.abs().max().item<float>() <= 0.5);
  const Lstm forget({owners[4], {1, "a"}}, 3, 4, 1.0);
  const auto difference = forget.weights().bias_ih - a.weights().bias_ih;
  CHECK(difference.allclose(
      at::tensor({0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}).to(at::kFloat)));
}
