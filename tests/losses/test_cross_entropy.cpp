#include "losses/cross_entropy.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

/// An output layer whose logits are its input: what the spec's cases are given in.
OutputLayer identity_layer(int64_t vocabulary) {
  OutputLayer layer({1, "identity"}, vocabulary, vocabulary);
  layer.weight().set_data(at::eye(vocabulary, at::kDouble));
  layer.bias().set_data(at::zeros({vocabulary}, at::kDouble));
  return layer;
}

const auto kLogits = [] {
  return at::tensor({2., 1.,  0.,  -1., .5, 0.,  3., 1., .5, -.5, 1., 1., 4., 0., 0.,
                     .5, -.5, .25, 1.5, 0., -1., 0., 2., 1., .5,  9., 9., 9., 9., 0.},
                    at::kDouble)
      .view({2, 3, 5});
};

}  // namespace

TEST_CASE("cross entropy: sentence sums match the numeric case and leave padding out", "[losses]") {
  const auto layer = identity_layer(5);
  const auto targets = at::tensor({4, 1, 2, 3, 2, 0}, at::kLong).view({2, 3});
  const auto lengths = at::tensor({3, 2}, at::kLong);
  const auto logits = kLogits().requires_grad_();
  const auto sentences = sentence_nll(layer, logits, targets, lengths);
  CHECK(sentences.allclose(at::tensor({2.46249798, 1.27398941}, at::kDouble), 0, 1e-8));
  CHECK(sentences.mean().item<double>() == Approx(1.86824369).margin(1e-8));
  const auto total = sequence_nll_sum(layer, logits, targets, lengths);
  CHECK(total.item<double>() == Approx(3.73648739).margin(1e-8));
  CHECK(total.item<double>() / 5 == Approx(0.74729748).margin(1e-8));

  const auto rows = layer.nll_rows(kLogits().view({6, 5}), targets.view({6}));
  const auto expected =
      at::tensor({2.07443794, 0.26036591, 0.12769413, 0.69955147, 0.57443794}, at::kDouble);
  CHECK(rows.slice(0, 0, 5).allclose(expected, 0, 1e-8));

  const auto from_sum = torch::autograd::grad({total}, {logits})[0];
  const auto from_rows = torch::autograd::grad({sentences.sum()}, {logits})[0];
  CHECK(from_sum.allclose(from_rows, 0, 1e-12));
  CHECK(from_sum[1][2].abs().sum().item<double>() == 0);
  CHECK(from_sum[0][0].allclose(at::softmax(kLogits()[0][0], 0) - at::eye(5, at::kDouble)[4], 0,
                                1e-12));
}

TEST_CASE("cross entropy: units of a language model match the numeric case", "[losses]") {
  // p(.|BOS): a .6, b .3, end .1; p(.|a): .1, .5, .4; p(.|b): .2, .2, .6.
  const auto log_p =
      at::tensor({.6, .3, .1, .1, .5, .4, .2, .2, .6}, at::kDouble).log().view({3, 3});
  const auto layer = identity_layer(3);
  // States of the words before each target in "a b", "b", "a a b", "".
  const auto before = at::tensor({0, 1, 2, 0, 0, 2, 0, 0, 0, 1, 1, 2, 0, 0, 0, 0}, at::kLong);
  const auto targets = at::tensor({0, 1, 2, 0, 1, 2, 0, 0, 0, 0, 1, 2, 2, 0, 0, 0}, at::kLong);
  const auto lengths = at::tensor({3, 2, 4, 1}, at::kLong);
  const auto nll = sentence_nll(layer, log_p.index_select(0, before).view({4, 4, 3}),
                                targets.view({4, 4}), lengths);
  CHECK(nll.allclose(at::tensor({1.71479843, 1.71479843, 4.01738352, 2.30258509}, at::kDouble), 0,
                     1e-8));
  const auto stats = nll_statistics(nll.sum().item<double>(), 4, lengths.sum().item<int64_t>());
  CHECK(stats.tokens == 10);
  CHECK(stats.nats_per_sentence == Approx(2.43739137).margin(1e-8));
  CHECK(stats.bits_per_token == Approx(1.40656498).margin(1e-8));
  CHECK(stats.perplexity == Approx(2.65105201).margin(1e-8));
  CHECK_THROWS_AS(nll_statistics(1, 0, 0), std::logic_error);
}
