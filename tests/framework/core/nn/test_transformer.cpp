#include "framework/core/nn/transformer.h"

#include <cmath>

#include "framework/core/nn/dropout.h"
#include "framework/core/tensor/products.h"
#include "tests/catch.h"
#include "tests/framework/core/nn/gradients.h"

using namespace lvtext;

namespace {

at::Tensor draw(uint32_t use, at::IntArrayRef shape, at::ScalarType type = at::kDouble) {
  return normal_step({.seed = 12, .use = use}, shape, type);
}

/// Attention written out position by position.
at::Tensor plain_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const AttentionScope& scope) {
  at::Tensor result = at::zeros_like(q);
  for (int64_t b = 0; b < q.size(0); ++b) {
    const int64_t length = scope.lengths.defined() ? scope.lengths[b].item<int64_t>() : q.size(2);
    for (int64_t h = 0; h < q.size(1); ++h) {
      for (int64_t t = 0; t < length; ++t) {
        const int64_t seen = scope.causal ? t + 1 : length;
        const at::Tensor keys = k[b][h].narrow(0, 0, seen), values = v[b][h].narrow(0, 0, seen);
        const at::Tensor weights =
            at::softmax(keys.mv(q[b][h][t]) / std::sqrt(static_cast<double>(q.size(3))), 0);
        result[b][h][t].copy_(weights.matmul(values));
      }
    }
  }
  return result;
}

TransformerLayout small_layout() {
  return {.width = 12, .heads = 3, .inner = 20, .deviation = 0.3};
}

std::shared_ptr<TransformerBlock> block(const TransformerLayout& layout) {
  auto made = std::make_shared<TransformerBlock>(Init{7, "block"}, layout);
  made->to(at::kDouble);
  return made;
}

LayerNoise noise(int64_t rows) {
  return {
      [](const std::string& use) { return NoiseKey{.seed = 3, .step = 5, .use = noise_use(use)}; },
      at::arange(rows, at::kLong)};
}

}  // namespace

TEST_CASE("attention: equals a loop over positions", "[nn]") {
  const bool causal = GENERATE(true, false);
  const at::Tensor q = draw(1, {2, 3, 7, 4}), k = draw(2, {2, 3, 7, 4}), v = draw(3, {2, 3, 7, 4});
  const AttentionScope all{causal, {}};
  CHECK(attention(q, k, v, all).allclose(plain_attention(q, k, v, all), 1e-10, 1e-12));
  const AttentionScope padded{causal, at::tensor(std::vector<int64_t>{7, 4}, at::kLong)};
  const at::Tensor result = attention(q, k, v, padded), expected = plain_attention(q, k, v, padded);
  CHECK(result[0].allclose(expected[0], 1e-10, 1e-12));
  CHECK(result[1].narrow(1, 0, 4).allclose(expected[1].narrow(1, 0, 4), 1e-10, 1e-12));
}

TEST_CASE("attention: dropout of weights keeps the mean and ignores padding", "[nn]") {
  const bool causal = GENERATE(true, false);
  const at::Tensor q = draw(1, {2, 2, 6, 4}), k = draw(2, {2, 2, 6, 4}), v = draw(3, {2, 2, 6, 4});
  const AttentionScope scope{causal, at::tensor(std::vector<int64_t>{4, 3}, at::kLong)};
  const NoiseKey key{.seed = 9};
  const at::Tensor ids = at::arange(2, at::kLong);
  const at::Tensor with = attention_with_dropout(q, k, v, scope, 0.4, key, ids);
  // The same examples with less padding, and alone.
  const auto shorter = [](const at::Tensor& x) { return x.narrow(2, 0, 4); };
  const at::Tensor trimmed =
      attention_with_dropout(shorter(q), shorter(k), shorter(v), scope, 0.4, key, ids);
  CHECK(trimmed[0].allclose(shorter(with)[0]));
  CHECK(trimmed[1].narrow(1, 0, 3).allclose(with[1].narrow(1, 0, 3)));
  const AttentionScope second{causal, scope.lengths.narrow(0, 1, 1)};
  const at::Tensor alone =
      attention_with_dropout(q.narrow(0, 1, 1), k.narrow(0, 1, 1), v.narrow(0, 1, 1), second, 0.4,
                             key, ids.narrow(0, 1, 1));
  CHECK(alone[0].narrow(1, 0, 3).allclose(with[1].narrow(1, 0, 3)));
  CHECK(attention_with_dropout(q, k, v, scope, 0, key, ids).equal(attention(q, k, v, scope)));
  at::Tensor sum = at::zeros_like(q);
  for (uint64_t step = 0; step < 4000; ++step) {
    sum += attention_with_dropout(q, k, v, scope, 0.4, {.seed = 9, .step = step}, ids);
  }
  const at::Tensor expected = attention(q, k, v, scope);
  CHECK((sum / 4000 - expected)[0].narrow(1, 0, 4).abs().max().item<double>() < 0.12);
}

TEST_CASE("attention: all pairs of positions have draws of their own", "[nn]") {
  // With one-hot values the result shows which weights were kept.
  const int64_t time = 24;
  const bool causal = GENERATE(true, false);
  const at::Tensor q = at::zeros({1, 1, time, time}, at::kDouble);
  const at::Tensor v = at::eye(time, at::kDouble).view({1, 1, time, time});
  const at::Tensor kept = attention_with_dropout(q, q, v, {causal, {}}, 0.5, {.seed = 2},
                                                 at::zeros({1}, at::kLong))[0][0];
  const at::Tensor mask = (kept > 0).to(at::kDouble);
  const double pairs = causal ? time * (time + 1) / 2.0 : time * time;
  CHECK(mask.sum().item<double>() / pairs == Approx(0.5).margin(0.1));
  // Rows and columns (of the causal triangle the long ones) do not repeat each other.
  for (int64_t t = 1; t <= time / 2; ++t) {
    CHECK_FALSE(mask[time - t].equal(mask[time - t - 1]));
    CHECK_FALSE(mask.select(1, t).equal(mask.select(1, t - 1)));
  }
  CHECK_FALSE(mask.triu(1).t().equal(mask.tril(-1)));
}

TEST_CASE("layer norm: mean 0 and variance 1, then weight and bias", "[nn]") {
  LayerNorm norm(Init{1, "norm"}, 5);
  const at::NoGradGuard no_grad;
  CHECK(norm.named_parameters()["weight"].equal(at::ones({5})));
  CHECK(norm.named_parameters()["bias"].equal(at::zeros({5})));
  norm.named_parameters()["weight"].fill_(2);
  norm.named_parameters()["bias"].fill_(1);
  const at::Tensor y = norm.forward(draw(1, {3, 5}, at::kFloat));
  CHECK(((y - 1) / 2).mean(1).abs().max().item<float>() < 1e-6);
  CHECK(((y - 1) / 2).square().mean(1).allclose(at::ones({3}), 1e-3));
}

TEST_CASE("transformer block: the MLP applies the gelu of the layout", "[nn]") {
  TransformerLayout layout = small_layout();
  layout.gelu = GENERATE(Gelu::kTanh, Gelu::kErf);
  const auto made = block(layout);
  const at::NoGradGuard no_grad;
  const auto parameters = made->named_parameters();
  parameters["attention_output.weight"].zero_();
  parameters["mlp_input.weight"].mul_(5);  // so that the two functions differ
  const at::Tensor x = draw(1, {2, 4, 12});
  const at::Tensor u =
      at::linear(at::layer_norm(x, {12}), parameters["mlp_input.weight"]);  // biases are 0
  const at::Tensor inner = std::sqrt(2 / M_PI) * (u + 0.044715 * u.pow(3));
  const at::Tensor gelu_new = 0.5 * u * (1 + at::tanh(inner));
  const at::Tensor exact = 0.5 * u * (1 + at::erf(u / std::sqrt(2.0)));
  REQUIRE((gelu_new - exact).abs().max().item<double>() > 1e-4);
  const at::Tensor active = layout.gelu == Gelu::kTanh ? gelu_new : exact;
  CHECK(made->forward(x, {}, nullptr, "")
            .allclose(x + at::linear(active, parameters["mlp_output.weight"]), 1e-10, 1e-10));
  // Specification 2, section 7.9.
  const at::Tensor points = at::tensor({-2.0, -1.0, .5, 1.0, 3.0}, at::kDouble);
  CHECK(at::gelu(points, "tanh")
            .allclose(
                at::tensor({-.04540231, -.15880801, .34571401, .84119199, 2.99636261}, at::kDouble),
                0, 1e-8));
}

TEST_CASE("transformer block: gradients agree with finite differences", "[nn]") {
  TransformerLayout layout = small_layout();
  layout.norm_first = GENERATE(true, false);
  layout.causal = GENERATE(true, false);
  layout.attention_dropout = layout.residual_dropout = GENERATE(0.0, 0.3);
  const auto made = block(layout);
  const at::Tensor lengths = at::tensor(std::vector<int64_t>{3, 2}, at::kLong);
  const LayerNoise keys = noise(2);
  check_gradients({draw(1, {2, 3, 12})}, [&](const std::vector<at::Tensor>& v) {
    const at::Tensor y = made->forward(v[0], lengths, &keys, "b.");
    return weighted_sum({y[0], y[1].narrow(0, 0, 2)});
  });
}

TEST_CASE("transformer block: padding and other texts change nothing", "[nn]") {
  TransformerLayout layout = small_layout();
  layout.causal = GENERATE(true, false);
  layout.attention_dropout = layout.residual_dropout = 0.3;
  const auto made = block(layout);
  const at::Tensor x = draw(1, {2, 6, 12});
  const at::Tensor lengths = at::tensor(std::vector<int64_t>{6, 3}, at::kLong);
  const LayerNoise keys = noise(2);
  const at::Tensor together = made->forward(x, lengths, &keys, "b.");
  const LayerNoise second{keys.key, keys.example_ids.narrow(0, 1, 1)};
  const at::Tensor alone =
      made->forward(x.narrow(0, 1, 1).narrow(1, 0, 3), lengths.narrow(0, 1, 1), &second, "b.");
  CHECK(alone[0].allclose(together[1].narrow(0, 0, 3), 1e-10, 1e-12));
}

TEST_CASE("attention cache: steps equal the whole pass, also after texts end", "[nn]") {
  const auto first = block(small_layout());
  const auto second = std::make_shared<TransformerBlock>(Init{8, "second"}, small_layout());
  second->to(at::kDouble);
  const int64_t rows = 9, time = 70;  // more tokens than are allocated at first
  const at::Tensor x = draw(4, {rows, time, 12});
  const at::NoGradGuard no_grad;
  const at::Tensor whole = second->forward(first->forward(x, {}, nullptr, ""), {}, nullptr, "");

  // Prompts of different lengths, then single tokens; texts end one by one.
  std::vector<int64_t> lengths{1, 5, 3, 4, 4, 2, 5, 1, 3};
  AttentionCache cache(rows, 2);
  const at::Tensor prompt = x.narrow(1, 0, 5);
  const at::Tensor prompt_lengths = at::tensor(lengths, at::kLong);
  second->forward(first->forward(prompt, prompt_lengths, nullptr, "", &cache, 0), prompt_lengths,
                  nullptr, "", &cache, 1);
  cache.set_lengths(prompt_lengths);
  std::vector<int64_t> texts(rows);
  for (int64_t n = 0; n < rows; ++n) texts[n] = n;
  for (int64_t step = 0; step < 64; ++step) {
    std::vector<at::Tensor> tokens, expected;
    for (size_t n = 0; n < texts.size(); ++n) {
      tokens.push_back(x[texts[n]][lengths[n] + step]);
      expected.push_back(whole[texts[n]][lengths[n] + step]);
    }
    const at::Tensor y = second->step(first->step(at::stack(tokens), cache, 0), cache, 1);
    cache.advance();
    INFO("step " << step);
    REQUIRE(y.allclose(at::stack(expected), 1e-9, 1e-10));
    if (step % 9 == 4 && texts.size() > 2) {  // one ends; the others are reversed at times
      std::vector<int64_t> index;
      for (size_t n = 0; n < texts.size(); ++n) {
        if (n != 1) index.push_back(static_cast<int64_t>(n));
      }
      if (step % 2 == 0) std::reverse(index.begin(), index.end());
      cache.select_rows(at::tensor(index, at::kLong));
      std::vector<int64_t> kept, kept_lengths;
      for (const int64_t n : index) {
        kept.push_back(texts[n]);
        kept_lengths.push_back(lengths[n]);
      }
      texts = kept;
      lengths = kept_lengths;
    }
  }
  CHECK(texts.size() == 2);
}

TEST_CASE("attention cache: repeated texts continue independently", "[nn]") {
  const auto made = block(small_layout());
  const at::NoGradGuard no_grad;
  const at::Tensor x = draw(5, {2, 4, 12});
  AttentionCache cache(1, 1);
  made->step(x[0].narrow(0, 0, 1), cache, 0);
  cache.advance();
  cache.select_rows(at::tensor(std::vector<int64_t>{0, 0}, at::kLong));
  const at::Tensor y = made->step(x.select(1, 1), cache, 0);
  for (int64_t n = 0; n < 2; ++n) {
    const at::Tensor text = at::stack({x[0][0], x[n][1]}).unsqueeze(0);
    CHECK(y[n].allclose(made->forward(text, {}, nullptr, "")[0][1], 1e-10, 1e-12));
  }
}

TEST_CASE("attention cache: rounds like attention in mixed precision", "[nn]") {
  const at::Tensor q = draw(1, {2, 3, 6, 8}, at::kFloat), k = draw(2, {2, 3, 6, 8}, at::kFloat),
                   v = draw(3, {2, 3, 6, 8}, at::kFloat);
  const MixedPrecisionScope mixed(true);
  const at::Tensor whole = attention(q, k, v, {});
  AttentionCache cache(2, 1);
  cache.store(0, k.narrow(2, 0, 4), v.narrow(2, 0, 4));
  cache.set_lengths(at::full({2}, 4, at::kLong));
  for (int64_t t = 4; t < 6; ++t) {
    const at::Tensor step = cache.attend(0, q.select(2, t), k.select(2, t), v.select(2, t));
    cache.advance();
    CHECK(step.scalar_type() == at::kFloat);
    CHECK(step.equal(step.to(at::kBFloat16).to(at::kFloat)));
    CHECK(step.allclose(whole.select(2, t), 1e-2, 1e-2));
  }
}
