// Mixtures of softmaxes: numeric case, plain implementation, finite differences.
#include <cmath>

#include "framework/core/nn/output_layer.h"
#include "framework/core/tensor/philox.h"
#include "tests/catch.h"
#include "tests/framework/core/nn/gradients.h"

using namespace lvtext;

namespace {

Mixture random_mixture(int64_t tokens, int64_t experts, int64_t width, int64_t vocabulary,
                       at::ScalarType type) {
  const auto draw = [&](uint32_t use, at::IntArrayRef shape) {
    return normal_step({.seed = 4, .use = use}, shape, type);
  };
  return {.latents = draw(1, {tokens, experts, width}),
          .log_prior = at::log_softmax(draw(2, {tokens, experts}), 1),
          .weight = draw(3, {vocabulary, width}),
          .bias = draw(4, {vocabulary}),
          .added_ids = at::tensor({1, 2}, at::kLong),
          .added = draw(5, {2, width})};
}

at::Tensor random_targets(int64_t tokens, int64_t vocabulary) {
  return (uniform_step({.seed = 5}, {tokens}, at::kDouble) * vocabulary).to(at::kLong);
}

/// All probabilities from [N, K, V] in memory.
at::Tensor plain(const Mixture& m) {
  const at::Tensor weight = m.weight.index_add(0, m.added_ids, m.added);
  const at::Tensor p = at::softmax(at::linear(m.latents, weight, m.bias), 2);
  return (p * m.log_prior.exp().unsqueeze(2)).sum(1).log();
}

at::Tensor plain_rows(const Mixture& m, const at::Tensor& targets) {
  return -plain(m).gather(1, targets.unsqueeze(1)).squeeze(1);
}

std::vector<at::Tensor> inputs_of(Mixture& m) {
  for (at::Tensor* each : {&m.latents, &m.weight, &m.bias, &m.log_prior, &m.added}) {
    *each = each->detach().requires_grad_();
  }
  return {m.latents, m.weight, m.bias, m.log_prior, m.added};
}

}  // namespace

TEST_CASE("mixture: the numeric case of two experts and three words", "[nn]") {
  const auto values = [](std::initializer_list<double> list, at::IntArrayRef shape) {
    return at::tensor(at::ArrayRef<double>(list.begin(), list.size()), at::kDouble).view(shape);
  };
  const at::Tensor state = values({0.5, -1}, {1, 2});
  const at::Tensor latents =
      at::tanh(at::linear(state, values({0.2, -0.4, 0.6, 0.1, -0.3, 0.5, 0.7, -0.2}, {4, 2}),
                          values({0.1, 0, -0.1, 0.2}, {4})))
          .view({1, 2, 2});
  const Mixture m{.latents = latents.expand({2, 2, 2}),
                  .log_prior = at::log_softmax(state, 1).expand({2, 2}),
                  .weight = values({1, 0, 0, 1, -1, 0.5}, {3, 2}),
                  .bias = values({0, 0.1, -0.1}, {3})};
  CHECK(mixture_log_probabilities(m)[0].allclose(
      values({-0.90715204, -0.97021382, -1.52635777}, {3}), 0, 1e-8));
  const at::Tensor targets = at::tensor({2, 0}, at::kLong);
  CHECK(mixture_loss_rows(m, targets).mean().item<double>() ==
        Approx(1.216754907566).margin(1e-12));
  CHECK(mixture_loss_sum(m, targets).item<double>() == Approx(2 * 1.216754907566).margin(1e-11));
}

TEST_CASE("mixture: values and gradients equal a plain implementation in float64", "[nn]") {
  // With 70,000 words and 3 experts a chunk has 19 tokens: 45 tokens make three chunks.
  const bool many_words = GENERATE(false, true);
  Mixture m = many_words ? random_mixture(45, 3, 4, 70000, at::kDouble)
                         : random_mixture(45, 5, 6, 50, at::kDouble);
  const at::Tensor targets = random_targets(45, m.weight.size(0));
  targets.narrow(0, 0, 1).fill_(1);  // a row to which another one is added
  const at::Tensor weights = normal_step({.seed = 8}, {45}, at::kDouble);
  const auto inputs = inputs_of(m);
  const at::Tensor expected = plain_rows(m, targets), sum = mixture_loss_sum(m, targets, weights);
  CHECK(sum.item<double>() == Approx((expected * weights).sum().item<double>()).epsilon(1e-10));
  CHECK(mixture_loss_rows(m, targets).allclose(expected, 1e-10, 1e-10));
  CHECK(mixture_log_probabilities(m).allclose(plain(m), 1e-10, 1e-10));
  const auto a = torch::autograd::grad({(expected * weights).sum() * 3}, inputs);
  const auto first = torch::autograd::grad({sum * 2}, inputs, {}, /*retain_graph=*/true);
  const auto b = torch::autograd::grad({sum * 3}, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    INFO("input " << i);
    CHECK(b[i].allclose(a[i], 1e-10, 1e-10));
    CHECK((first[i] * 1.5).allclose(a[i], 1e-10, 1e-10));
  }
}

TEST_CASE("mixture: single precision is near double precision", "[nn]") {
  Mixture m = random_mixture(45, 3, 4, 70000, at::kFloat);
  const at::Tensor targets = random_targets(45, 70000);
  Mixture wide = m;
  for (at::Tensor* each : {&wide.latents, &wide.weight, &wide.bias, &wide.log_prior, &wide.added}) {
    *each = each->to(at::kDouble);
  }
  const auto inputs = inputs_of(m), wide_inputs = inputs_of(wide);
  const auto exact = torch::autograd::grad({plain_rows(wide, targets).sum()}, wide_inputs);
  const auto plain = torch::autograd::grad({plain_rows(m, targets).sum()}, inputs);
  const auto ours = torch::autograd::grad({mixture_loss_sum(m, targets)}, inputs);
  // Sums over 70,000 words: how exact they are depends on the processor's matrix products.
  const auto error = [](const at::Tensor& of, const at::Tensor& from) {
    return ((of - from).abs().max() / from.abs().max()).item<double>();
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    INFO("input " << i);
    CHECK(error(ours[i], exact[i]) < 1e-5 + error(plain[i], exact[i]));
  }
}

TEST_CASE("mixture: gradients agree with finite differences", "[nn]") {
  const Mixture m = random_mixture(5, 3, 2, 7, at::kDouble);
  const at::Tensor targets = random_targets(5, 7);
  const at::Tensor weights = normal_step({.seed = 8}, {5}, at::kDouble);
  check_gradients({m.latents, m.weight, m.bias, m.log_prior, m.added}, [&](const std::vector<
                                                                           at::Tensor>& v) {
    return 0.5 * mixture_loss_sum({v[0], v[3], v[1], v[2], m.added_ids, v[4]}, targets, weights);
  });
}

TEST_CASE("mixture: one expert is the softmax layer", "[nn]") {
  Mixture m = random_mixture(9, 1, 4, 30, at::kDouble);
  m.added_ids = m.added = at::Tensor();
  const at::Tensor targets = random_targets(9, 30);
  for (at::Tensor* each : {&m.latents, &m.weight, &m.bias}) each->requires_grad_();
  const std::vector<at::Tensor> inputs{m.latents, m.weight, m.bias};
  const at::Tensor one = output_loss_sum(m.latents.squeeze(1), m.weight, m.bias, targets);
  const at::Tensor mixture = mixture_loss_sum(m, targets);
  CHECK(mixture.item<double>() == Approx(one.item<double>()).epsilon(1e-12));
  const auto a = torch::autograd::grad({one}, inputs), b = torch::autograd::grad({mixture}, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) CHECK(b[i].allclose(a[i], 1e-12, 1e-12));
}

TEST_CASE("mixture: a constant table gets no gradient, its trained rows do", "[nn]") {
  Mixture m = random_mixture(9, 2, 4, 30, at::kDouble);
  const at::Tensor targets = random_targets(9, 30);
  m.latents.requires_grad_();
  m.added.requires_grad_();
  mixture_loss_sum(m, targets).backward();
  CHECK(!m.weight.grad().defined());
  CHECK(!m.bias.grad().defined());
  Mixture all = m;
  const auto inputs = inputs_of(all);
  const auto expected = torch::autograd::grad({plain_rows(all, targets).sum()}, inputs);
  CHECK(m.latents.grad().allclose(expected[0], 1e-10, 1e-10));
  CHECK(m.added.grad().allclose(expected[4], 1e-10, 1e-10));
}

TEST_CASE("mixture: experts without probability and no tokens", "[nn]") {
  Mixture m = random_mixture(2, 3, 4, 30, at::kDouble);
  m.log_prior = at::tensor({0., -INFINITY, -INFINITY, -INFINITY, 0., -INFINITY}, at::kDouble)
                    .view({2, 3})
                    .requires_grad_();
  m.latents.requires_grad_();
  const at::Tensor targets = random_targets(2, 30), loss = mixture_loss_sum(m, targets);
  CHECK(loss.item<double>() == Approx(plain_rows(m, targets).sum().item<double>()));
  const at::Tensor gradient = torch::autograd::grad({loss}, {m.latents})[0];
  CHECK(at::isfinite(gradient).all().item<bool>());
  CHECK(gradient[0][1].abs().sum().item<double>() == 0);
  Mixture none = random_mixture(0, 3, 4, 30, at::kDouble);
  none.latents.requires_grad_();
  CHECK(mixture_loss_sum(none, random_targets(0, 30)).item<double>() == 0);
}
