#include "framework/core/nn/output_layer.h"

#include <cmath>

#include "framework/core/nn/packing.h"
#include "tests/catch.h"
#include "tests/framework/core/nn/gradients.h"

using namespace lvtext;

namespace {

struct Setup {
  at::Tensor hidden, weight, bias, targets;
};

Setup make_setup(int64_t rows, int64_t width, int64_t vocabulary, at::ScalarType type) {
  const auto draw = [&](uint32_t use, at::IntArrayRef shape) {
    return normal_step({.seed = 4, .use = use}, shape, type);
  };
  return {draw(1, {rows, width}), draw(2, {vocabulary, width}), draw(3, {vocabulary}),
          (uniform_step({.seed = 5}, {rows}, at::kDouble) * vocabulary).to(at::kLong)};
}

at::Tensor stock(const Setup& s) {
  return at::cross_entropy_loss(at::linear(s.hidden, s.weight, s.bias), s.targets, {}, 0);
}

/// An output layer whose logits are its input, for the specification's cases.
OutputLayer identity_layer(int64_t vocabulary) {
  OutputLayer layer({1, "identity"}, vocabulary, vocabulary);
  layer.weight().set_data(at::eye(vocabulary, at::kDouble));
  layer.bias().set_data(at::zeros({vocabulary}, at::kDouble));
  return layer;
}

/// NLL of each sentence: logits [B, T, V], targets [B, T] -> [B].
at::Tensor sentence_nll(const OutputLayer& layer, const at::Tensor& logits,
                        const at::Tensor& targets, const at::Tensor& lengths) {
  return sum_by_sentence(layer.nll_rows(pack_rows(logits, lengths), pack_rows(targets, lengths)),
                         lengths);
}

}  // namespace

TEST_CASE("output layer: values and gradients equal LibTorch's across several chunks", "[nn]") {
  // With 150,000 words a chunk has 27 rows: 70 rows make three chunks, the last one short.
  const bool many_words = GENERATE(false, true);
  Setup s =
      many_words ? make_setup(70, 7, 150000, at::kFloat) : make_setup(70, 20, 333, at::kFloat);
  const std::vector<at::Tensor> inputs{s.hidden.requires_grad_(), s.weight.requires_grad_(),
                                       s.bias.requires_grad_()};
  const auto expected = stock(s);
  const auto rows = output_loss_rows(s.hidden, s.weight, s.bias, s.targets);
  CHECK(rows.allclose(expected, 1e-5, 1e-5));
  const auto weights = normal_step({.seed = 8}, {s.hidden.size(0)}, at::kFloat);
  const auto sum = output_loss_sum(s.hidden, s.weight, s.bias, s.targets, weights);
  CHECK(sum.item<float>() == Approx((expected * weights).sum().item<float>()).epsilon(1e-4));
  const auto a = torch::autograd::grad({(expected * weights).sum() * 3}, inputs);
  const auto b = torch::autograd::grad({(rows * weights).sum() * 3}, inputs);
  const auto first = torch::autograd::grad({sum * 2}, inputs, {}, /*retain_graph=*/true);
  const auto c = torch::autograd::grad({sum * 3}, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    CHECK((first[i] * 1.5).allclose(c[i], 1e-5, 1e-6));
  }
  const auto widen = [](const at::Tensor& x) {
    return x.detach().to(at::kDouble).requires_grad_();
  };
  const Setup wide{widen(s.hidden), widen(s.weight), widen(s.bias), s.targets};
  const auto exact = torch::autograd::grad({(stock(wide) * weights).sum() * 3},
                                           {wide.hidden, wide.weight, wide.bias});
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto error = [&](const at::Tensor& x) {
      return ((x - exact[i]).abs().max() / exact[i].abs().max()).item<double>();
    };
    // float32 rounding: the tolerance is LibTorch's own distance from float64.
    const double allowed = 3 * error(a[i]) + 1e-6;
    CHECK(error(b[i]) < allowed);
    CHECK(error(c[i]) < allowed);
  }
}

TEST_CASE("output layer: gradients agree with finite differences", "[nn]") {
  const Setup s = make_setup(6, 3, 9, at::kDouble);
  const auto weights = normal_step({.seed = 8}, {6}, at::kDouble);
  check_gradients({s.hidden, s.weight, s.bias}, [&](const std::vector<at::Tensor>& v) {
    return weighted_sum({output_loss_rows(v[0], v[1], v[2], s.targets)});
  });
  check_gradients({s.hidden, s.weight, s.bias}, [&](const std::vector<at::Tensor>& v) {
    return 0.5 * output_loss_sum(v[0], v[1], v[2], s.targets, weights);
  });
  const at::Tensor p = at::softmax(normal_step({.seed = 9}, {6, 9}, at::kDouble), 1);
  check_gradients({s.hidden, s.weight, s.bias}, [&](const std::vector<at::Tensor>& v) {
    return 0.5 * distribution_cross_entropy_sum(v[0], v[1], v[2], p);
  });
}

TEST_CASE("output layer: target distributions match the numeric case, one-hot ones targets",
          "[nn]") {
  const at::Tensor logits = at::tensor({0., 3., 1., 0., 1., 0., 2., 0.}, at::kDouble).view({2, 4});
  const at::Tensor p =
      at::tensor({0.7, 0.2, 0.05, 0.05, 0.1, 0.1, 0.7, 0.1}, at::kDouble).view({2, 4});
  const auto layer = identity_layer(4);
  const auto sum = [&](int64_t from, int64_t to) {
    return distribution_cross_entropy_sum(logits.slice(0, from, to), layer.weight(), layer.bias(),
                                          p.slice(0, from, to))
        .item<double>();
  };
  CHECK(sum(0, 1) == Approx(2.56099762).margin(1e-8));
  CHECK(sum(1, 2) == Approx(0.99381171).margin(1e-8));
  CHECK(sum(0, 2) == Approx(3.5548093323).margin(1e-10));
  {
    const at::NoGradGuard no_grad;  // without gradients, the sum is computed in another way
    CHECK(sum(0, 2) == Approx(3.5548093323).margin(1e-10));
    CHECK(sum(0, 0) == 0);
  }
  // With 150,000 words a chunk has 27 rows.
  Setup s = make_setup(35, 7, 150000, at::kFloat);
  const std::vector<at::Tensor> inputs{s.hidden.requires_grad_(), s.weight.requires_grad_(),
                                       s.bias.requires_grad_()};
  const at::Tensor one_hot = at::one_hot(s.targets, 150000).to(at::kFloat);
  const at::Tensor known = output_loss_sum(s.hidden, s.weight, s.bias, s.targets);
  const at::Tensor same = distribution_cross_entropy_sum(s.hidden, s.weight, s.bias, one_hot);
  CHECK(same.item<float>() == Approx(known.item<float>()).epsilon(1e-5));
  const auto a = torch::autograd::grad({known}, inputs), b = torch::autograd::grad({same}, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) CHECK(a[i].allclose(b[i], 1e-4, 1e-5));
}

TEST_CASE("output layer: extreme logits remain finite and keep their gradient", "[nn]") {
  const auto weight = at::eye(3).requires_grad_();
  const auto hidden =
      at::tensor({1e4, -1e4, 0.0, -200.0, 0.0, 200.0}, at::kFloat).view({2, 3}).requires_grad_();
  const auto nll = output_loss_rows(hidden, weight, at::zeros({3}), at::tensor({1, 2}, at::kLong));
  CHECK(nll.allclose(at::tensor({2e4, 0.0}, at::kFloat)));
  const auto gradient = torch::autograd::grad({nll.sum()}, {hidden})[0];
  CHECK(gradient.allclose(at::tensor({1.0, -1.0, 0.0, 0.0, 0.0, 0.0}, at::kFloat).view({2, 3})));
}

TEST_CASE("output layer: no rows give no loss, invalid targets are rejected", "[nn]") {
  const Setup s = make_setup(0, 3, 9, at::kFloat);
  const auto weight = s.weight.clone().requires_grad_();
  const auto sum = output_loss_sum(s.hidden, weight, s.bias, s.targets);
  CHECK(sum.item<float>() == 0);
  CHECK(torch::autograd::grad({sum}, {weight})[0].abs().sum().item<float>() == 0);
  const Setup bad = make_setup(2, 3, 9, at::kFloat);
  CHECK_THROWS_AS(output_loss_rows(bad.hidden, bad.weight, bad.bias, at::full({2}, 9)),
                  std::logic_error);
}

TEST_CASE("output layer: second derivatives are rejected", "[nn]") {
  const Setup s = make_setup(4, 3, 9, at::kDouble);
  const auto hidden = s.hidden.clone().requires_grad_();
  const auto sum = output_loss_sum(hidden, s.weight, s.bias, s.targets);
  const auto rows = output_loss_rows(hidden, s.weight, s.bias, s.targets).sum();
  CHECK_THROWS_WITH(torch::autograd::grad({sum}, {hidden}, {}, true, true),
                    Contains("second derivative"));
  CHECK_THROWS_WITH(torch::autograd::grad({rows}, {hidden}, {}, true, true),
                    Contains("second derivative"));
}

TEST_CASE("output layer: a second backward of a retained graph gives the same gradient", "[nn]") {
  const Setup s = make_setup(4, 3, 9, at::kDouble);
  const auto hidden = s.hidden.clone().requires_grad_();
  const auto loss = output_loss_sum(hidden, s.weight, s.bias, s.targets) * 0.25;
  const auto first = torch::autograd::grad({loss}, {hidden}, {}, true)[0];
  CHECK(first.equal(torch::autograd::grad({loss}, {hidden})[0]));
}

TEST_CASE("output layer: log-probabilities sum to one and equal the row losses", "[nn]") {
  const OutputLayer layer({3, "out"}, 5, 11);
  CHECK(layer.bias().abs().sum().item<float>() == 0);
  CHECK(layer.weight().abs().max().item<float>() <= 0.1f);
  const auto hidden = normal_step({.seed = 2}, {6, 5}, at::kFloat);
  const auto targets = at::arange(6);
  const at::NoGradGuard no_grad;
  const auto log_probs = at::log_softmax(layer.logits(hidden), 1);
  CHECK(log_probs.exp().sum(1).allclose(at::ones({6})));
  CHECK(layer.nll_rows(hidden, targets)
            .allclose(-log_probs.gather(1, targets.unsqueeze(1)).squeeze(1), 1e-5, 1e-6));
  CHECK(layer.nll_sum(hidden, targets).item<float>() ==
        Approx(layer.nll_rows(hidden, targets).sum().item<float>()));
}

TEST_CASE("output layer: sentence sums match the numeric case and exclude padding", "[nn]") {
  const auto layer = identity_layer(5);
  const auto given = at::tensor({2., 1.,  0.,  -1., .5, 0.,  3., 1., .5, -.5, 1., 1., 4., 0., 0.,
                                 .5, -.5, .25, 1.5, 0., -1., 0., 2., 1., .5,  9., 9., 9., 9., 0.},
                                at::kDouble)
                         .view({2, 3, 5});
  const auto targets = at::tensor({4, 1, 2, 3, 2, 0}, at::kLong).view({2, 3});
  const auto lengths = at::tensor({3, 2}, at::kLong);
  const auto logits = given.clone().requires_grad_();
  const auto sentences = sentence_nll(layer, logits, targets, lengths);
  CHECK(sentences.allclose(at::tensor({2.46249798, 1.27398941}, at::kDouble), 0, 1e-8));
  CHECK(sentences.mean().item<double>() == Approx(1.86824369).margin(1e-8));
  const auto total = layer.nll_sum(pack_rows(logits, lengths), pack_rows(targets, lengths));
  CHECK(total.item<double>() == Approx(3.73648739).margin(1e-8));

  const auto rows = layer.nll_rows(given.view({6, 5}), targets.view({6}));
  const auto expected =
      at::tensor({2.07443794, 0.26036591, 0.12769413, 0.69955147, 0.57443794}, at::kDouble);
  CHECK(rows.slice(0, 0, 5).allclose(expected, 0, 1e-8));

  const auto from_sum = torch::autograd::grad({total}, {logits})[0];
  const auto from_rows = torch::autograd::grad({sentences.sum()}, {logits})[0];
  CHECK(from_sum.allclose(from_rows, 0, 1e-12));
  CHECK(from_sum[1][2].abs().sum().item<double>() == 0);
  CHECK(
      from_sum[0][0].allclose(at::softmax(given[0][0], 0) - at::eye(5, at::kDouble)[4], 0, 1e-12));
}

TEST_CASE("output layer: the likelihood of a language model matches the numeric case", "[nn]") {
  // Two sentences of 2 and 3 tokens, the second step of the first one is its last.
  const auto given = at::tensor({2., 1., 0., -1., .5, .5, .5, .5, 9., 9., 9., 9.,  //
                                 0., 3., 1., 0.,  1., 0., 2., 0., 0., 0., 4., 1.},
                                at::kDouble)
                         .view({2, 3, 4});
  const auto sums =
      sentence_nll(identity_layer(4), given, at::tensor({0, 2, 0, 1, 2, 2}, at::kLong).view({2, 3}),
                   at::tensor({2, 3}, at::kLong));
  CHECK(sums.mean().item<double>() == Approx(1.3070898784).margin(1e-10));
  CHECK(std::exp(sums.sum().item<double>() / 5) == Approx(1.6868045686).margin(1e-10));

  // p(.|BOS): a .6, b .3, end .1; p(.|a): .1, .5, .4; p(.|b): .2, .2, .6.
  const auto log_p =
      at::tensor({.6, .3, .1, .1, .5, .4, .2, .2, .6}, at::kDouble).log().view({3, 3});
  // States of the words before each target in "a b", "b", "a a b", "".
  const auto before = at::tensor({0, 1, 2, 0, 0, 2, 0, 0, 0, 1, 1, 2, 0, 0, 0, 0}, at::kLong);
  const auto targets = at::tensor({0, 1, 2, 0, 1, 2, 0, 0, 0, 0, 1, 2, 2, 0, 0, 0}, at::kLong);
  const auto nll = sentence_nll(identity_layer(3), log_p.index_select(0, before).view({4, 4, 3}),
                                targets.view({4, 4}), at::tensor({3, 2, 4, 1}, at::kLong));
  CHECK(nll.allclose(at::tensor({1.71479843, 1.71479843, 4.01738352, 2.30258509}, at::kDouble), 0,
                     1e-8));
}
