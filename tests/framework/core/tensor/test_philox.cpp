#include "framework/core/tensor/philox.h"
#include "framework/core/tensor/torch.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

const NoiseKey kKey{.seed = 7, .step = 11, .stream = 3, .use = noise_use("test")};

at::Tensor ids(const std::vector<int64_t>& values) {
  return at::tensor(values, at::kLong);
}

double average(const at::Tensor& x) {
  return x.to(at::kDouble).mean().item<double>();
}

}  // namespace

TEST_CASE("philox: the known answers of Random123", "[tensor]") {
  using Words = std::array<uint32_t, 4>;
  CHECK(philox4x32({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("philox: hashes of uses match published FNV-1a values", "[tensor]") {
  CHECK(noise_use("") == 0x811c9dc5);
  CHECK(noise_use("a") == 0xe40c292c);
  CHECK(noise_use("foobar") == 0xbf9cf968);
}

TEST_CASE("philox: normal draws have the moments and the tails of N(0, 1)", "[tensor]") {
  const auto x = normal(kKey, at::arange(1000), {1001}, at::kDouble);
  CHECK(average(x) == Approx(0).margin(0.005));
  CHECK(average(x * x) == Approx(1).margin(0.01));
  CHECK(average(x.pow(3)) == Approx(0).margin(0.02));
  CHECK(average(x.pow(4)) == Approx(3).margin(0.05));
  CHECK(average(x.abs() > 1.959964) == Approx(0.05).margin(0.001));
  CHECK(average(x.select(1, 0) * x.select(1, 1)) == Approx(0).margin(0.12));
  CHECK(average(x.slice(1, 0, 1000) * x.slice(1, 1, 1001)) == Approx(0).margin(0.005));
  CHECK(average(x.slice(0, 0, 999) * x.slice(0, 1, 1000)) == Approx(0).margin(0.005));
}

TEST_CASE("philox: uniform draws are inside (0, 1) and evenly distributed", "[tensor]") {
  const auto x = uniform(kKey, at::arange(1000), {1000}, at::kFloat);
  CHECK(x.min().item<float>() > 0);
  CHECK(x.max().item<float>() < 1);
  const auto counts = at::histc(x, 20, 0, 1);
  CHECK(counts.min().item<float>() > 49000);
  CHECK(counts.max().item<float>() < 51000);
  CHECK(x.log().isfinite().all().item<bool>());
}

TEST_CASE("philox: a dropout mask has the given share of zeros, and 0 and 1 are exact",
          "[tensor]") {
  const auto x = dropout_mask(kKey, at::arange(500), {400}, 0.6, at::kFloat);
  CHECK(average(x) == Approx(0.4).margin(0.005));
  CHECK(average(dropout_mask(kKey, at::arange(500), {400}, 0, at::kFloat)) == 1);
  CHECK(average(dropout_mask(kKey, at::arange(500), {400}, 1, at::kFloat)) == 0);
}

TEST_CASE("philox: splitting, reordering and padding a batch change no draw", "[tensor]") {
  const auto whole = normal(kKey, ids({5, 900, 2, 1ll << 40}), {7, 3}, at::kFloat);
  CHECK(whole.equal(at::cat({normal(kKey, ids({5, 900}), {7, 3}, at::kFloat),
                             normal(kKey, ids({2, 1ll << 40}), {7, 3}, at::kFloat)})));
  CHECK(whole.flip(0).equal(normal(kKey, ids({1ll << 40, 2, 900, 5}), {7, 3}, at::kFloat)));
  const auto longer = normal(kKey, ids({5, 900, 2, 1ll << 40}), {12, 3}, at::kFloat);
  CHECK(whole.equal(longer.slice(1, 0, 7)));
  CHECK(whole.allclose(
      normal(kKey, ids({5, 900, 2, 1ll << 40}), {7, 3}, at::kDouble).to(at::kFloat), 1e-5, 1e-5));
}

TEST_CASE("philox: the number of threads changes no draw", "[tensor]") {
  const int threads = at::get_num_threads();
  at::set_num_threads(3);
  const auto many = normal(kKey, at::arange(300), {301}, at::kFloat);
  at::set_num_threads(1);
  const auto one = normal(kKey, at::arange(300), {301}, at::kFloat);
  at::set_num_threads(threads);
  CHECK(many.equal(one));
}

TEST_CASE("philox: every field of the key and the example change the draws", "[tensor]") {
  const auto example = ids({0, 1});
  const auto base = normal(kKey, example, {50}, at::kFloat);
  CHECK_FALSE(base[0].equal(base[1]));
  std::vector<NoiseKey> others(6, kKey);
  others[0].seed += 1;
  others[1].seed += 1ull << 32;
  others[2].step += 1;
  others[3].step += 1ull << 32;
  others[4].stream += 1;
  others[5].use += 1;
  for (const auto& other : others) {
    CHECK((base == normal(other, example, {50}, at::kFloat)).sum().item<int64_t>() == 0);
  }
  CHECK((base[0] == normal_step(kKey, {50}, at::kFloat)).sum().item<int64_t>() == 0);
}

TEST_CASE("philox: draws of a step need no examples", "[tensor]") {
  CHECK(normal_step(kKey, {4, 5}, at::kFloat).equal(normal_step(kKey, {4, 5}, at::kFloat)));
  CHECK(average(normal_step(kKey, {300, 1000}, at::kFloat)) == Approx(0).margin(0.01));
  CHECK(average(uniform_step(kKey, {300, 1000}, at::kFloat)) == Approx(0.5).margin(0.003));
}

TEST_CASE("philox: empty batches and shapes give empty tensors", "[tensor]") {
  CHECK(normal(kKey, ids({}), {3}, at::kFloat).sizes() == at::IntArrayRef({0, 3}));
  CHECK(normal(kKey, ids({1}), {0}, at::kFloat).numel() == 0);
  CHECK_THROWS_AS(normal(kKey, ids({-1}), {3}, at::kFloat), std::logic_error);
}
