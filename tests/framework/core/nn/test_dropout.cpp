#include "framework/core/nn/dropout.h"
#include "framework/core/nn/embedding.h"
#include "framework/core/nn/linear.h"
#include "framework/core/nn/packing.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

const NoiseKey kKey{.seed = 2, .step = 3, .use = noise_use("dropout")};
constexpr int64_t kBosId = 1, kUnkId = 3;

double average(const at::Tensor& x) {
  return x.to(at::kDouble).mean().item<double>();
}

}  // namespace

TEST_CASE("dropout: one variational mask per sentence, the same at all its steps", "[nn]") {
  const auto mask = variational_mask(kKey, at::arange(1000), 100, 0.6, at::kFloat);
  CHECK(average(mask > 0) == Approx(0.4).margin(0.01));
  CHECK(((mask == 0) | (mask == 2.5)).all().item<bool>());
  CHECK_FALSE(mask[0].equal(mask[1]));
  const auto x = apply_variational(at::ones({1000, 4, 100}), mask);
  for (int64_t t = 0; t < 4; ++t) {
    CHECK(x.select(1, t).equal(mask));
  }
}

TEST_CASE("dropout: p = 0 is an exact no-op, and scaled masks need p below 1", "[nn]") {
  const auto ids = at::arange(3);
  const auto x = normal_step(kKey, {3, 4, 5}, at::kFloat), words = at::full({3, 4}, 7);
  CHECK_FALSE(variational_mask(kKey, ids, 5, 0, at::kFloat).defined());
  CHECK(apply_variational(x, {}).is_same(x));
  CHECK(dropout(x, kKey, ids, 0).is_same(x));
  CHECK(word_dropout(words, kKey, ids, 0, kBosId, kUnkId).is_same(words));
  CHECK_FALSE(word_mask(words, kKey, ids, 0, kBosId, at::kFloat).defined());
  CHECK_THROWS_AS(dropout(x, kKey, ids, 1), std::logic_error);
}

TEST_CASE("dropout: ordinary dropout preserves the mean, and padding changes no draw", "[nn]") {
  const auto ids = at::arange(100);
  const auto y = dropout(at::ones({100, 30, 50}), kKey, ids, 0.5);
  CHECK(average(y) == Approx(1).margin(0.01));
  CHECK(((y == 0) | (y == 2)).all().item<bool>());
  CHECK(dropout(at::ones({100, 12, 50}), kKey, ids, 0.5).equal(y.slice(1, 0, 12)));
  const auto rarely = dropout(at::ones({100, 30, 50}), kKey, ids, 0.1);
  CHECK(average(rarely == 0) == Approx(0.1).margin(0.005));
}

TEST_CASE("dropout: words become unknown with the given probability, BOS never", "[nn]") {
  const auto ids = at::arange(1000);
  auto words = at::full({1000, 101}, 9);
  words.select(1, 0).fill_(kBosId);
  const auto dropped = word_dropout(words, kKey, ids, 0.5, kBosId, kUnkId);
  CHECK((dropped.select(1, 0) == kBosId).all().item<bool>());
  const auto rest = dropped.slice(1, 1);
  CHECK(average(rest == kUnkId) == Approx(0.5).margin(0.01));
  CHECK(((rest == kUnkId) | (rest == 9)).all().item<bool>());
  const auto mask = word_mask(words, kKey, ids, 0.5, kBosId, at::kFloat);
  CHECK(mask.sizes() == at::IntArrayRef({1000, 101, 1}));
  CHECK((mask.squeeze(2) == 0).equal(dropped == kUnkId));
  CHECK(word_dropout(words.slice(1, 0, 20), kKey, ids, 0.5, kBosId, kUnkId)
            .equal(dropped.slice(1, 0, 20)));
  const auto none = word_dropout(words, kKey, ids, 1, kBosId, kUnkId);
  CHECK((none.slice(1, 1) == kUnkId).all().item<bool>());
}

TEST_CASE("embedding: rows of the table, gradients summed over repeated ids", "[nn]") {
  const Embedding table({1, "words"}, 6, 4);
  CHECK(table.weight().abs().max().item<float>() <= 0.1f);
  CHECK(table.weight().std().item<float>() == Approx(0.1 / std::sqrt(3)).epsilon(0.3));
  const auto ids = at::tensor({2, 5, 2, 2, 0, 5}, at::kLong).view({2, 3});
  const auto x = table.forward(ids);
  CHECK(x.sizes() == at::IntArrayRef({2, 3, 4}));
  CHECK(x[1][0].equal(table.weight()[2]));
  const auto upstream = normal_step(kKey, {2, 3, 4}, at::kFloat);
  const auto gradient = torch::autograd::grad({(x * upstream).sum()}, {table.weight()})[0];
  CHECK(gradient[2].allclose(upstream[0][0] + upstream[0][2] + upstream[1][0]));
  CHECK(gradient[1].abs().sum().item<float>() == 0);
}

TEST_CASE("linear: torch's default bounds, or the given standard deviation", "[nn]") {
  const Linear usual({1, "a"}, 16, 50), given({1, "a"}, 16, 50, 0.02);
  CHECK(usual.weight().abs().max().item<float>() <= 0.25f);
  CHECK(usual.weight().abs().max().item<float>() > 0.24f);
  CHECK(usual.bias().abs().max().item<float>() > 0.2f);
  CHECK(given.weight().equal(normal_init({1, "a.weight"}, {50, 16}, 0.02)));
  CHECK(given.weight().std().item<float>() == Approx(0.02).epsilon(0.1));
  CHECK(given.bias().abs().sum().item<float>() == 0);
  const auto x = normal_step(kKey, {3, 2, 16}, at::kFloat);
  CHECK(usual.forward(x).allclose(x.matmul(usual.weight().t()) + usual.bias(), 1e-5, 1e-6));
}

TEST_CASE("packing: rows are packed and unpacked, padding becomes zero", "[nn]") {
  const auto x = at::arange(24).view({2, 4, 3}).to(at::kFloat) + 1;
  const auto lengths = at::tensor({2, 3}, at::kLong);
  const auto rows = pack_rows(x, lengths);
  CHECK(rows.sizes() == at::IntArrayRef({5, 3}));
  CHECK(rows[2].equal(x[1][0]));
  const auto back = unpack_rows(rows, lengths, 4);
  CHECK(back[0].slice(0, 0, 2).equal(x[0].slice(0, 0, 2)));
  CHECK(back[0].slice(0, 2).abs().sum().item<float>() == 0);
  CHECK(sum_by_sentence(at::tensor({1., 2., 4., 8., 16.}), lengths).equal(at::tensor({3., 28.})));
  CHECK(sum_by_sentence(at::tensor({1., 2.}), at::tensor({0, 2}, at::kLong))
            .equal(at::tensor({0., 3.})));
}

TEST_CASE("packing: longest first, each step contains the sentences that have not ended", "[nn]") {
  const auto plan = plan_packing(at::tensor({1, 3, 0, 3}, at::kLong), 4, 5, true);
  CHECK(plan.order == std::vector<int64_t>{1, 3, 0, 2});
  CHECK(plan.sizes == std::vector<int64_t>{3, 2, 2});
  CHECK(plan.offsets == std::vector<int64_t>{0, 3, 5});
  CHECK(plan.source == std::vector<int64_t>{7, 17, 0, 6, 16, 5, 15});
}
