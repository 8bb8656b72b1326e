// A separate program: it limits oneDNN to avx512_bf16, as on AMD's processors. LibTorch does not
// reset AMX between oneDNN's kernels and MKL's, which other tests use.
#include <cstdlib>

#include "framework/core/tensor/bf16_product.h"
#include "framework/core/tensor/philox.h"
#include "framework/core/tensor/torch.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

const bool kLimited = setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", 1) == 0;

at::Tensor draw(uint32_t use, at::IntArrayRef shape) {
  return normal_step({.seed = 31, .use = use}, shape, at::kFloat).to(at::kBFloat16);
}

at::Tensor layout(const at::Tensor& x, bool turned) {
  return turned ? x.t().contiguous().t() : x;
}

/// |a - b| / |b| in the Frobenius norm.
double distance(const at::Tensor& a, const at::Tensor& b) {
  return ((a.to(at::kDouble) - b).norm() / b.norm()).item<double>();
}

struct Sizes {
  int64_t n, k, m;
};

void check_product(const Sizes& sizes, bool a_turned, bool b_turned) {
  INFO(sizes.n << " x " << sizes.k << " x " << sizes.m << (a_turned ? ", a turned" : "")
               << (b_turned ? ", b turned" : ""));
  const at::Tensor a = draw(1, {sizes.n, sizes.k}), b = draw(2, {sizes.k, sizes.m});
  const at::Tensor exact = at::mm(a.to(at::kDouble), b.to(at::kDouble));
  const at::Tensor before = draw(3, {sizes.n, sizes.m}).to(at::kFloat);
  at::Tensor out = at::full({sizes.n, sizes.m}, std::numeric_limits<float>::quiet_NaN());
  const auto run = [&](bool adds) {
    bf16_product(out, layout(a, a_turned), layout(b, b_turned), adds, Bf16Support::kOneDnn);
  };
  run(false);
  CHECK(distance(out, exact) < 2e-6);
  const at::Tensor first = out.clone();
  out = before.clone();
  run(true);
  CHECK(distance(out, exact + before.to(at::kDouble)) < 2e-6);
  // Results do not depend on the number of threads.
  const int threads = at::get_num_threads();
  at::set_num_threads(3);
  run(false);
  at::set_num_threads(threads);
  CHECK(out.equal(first));
}

bool supported() {
  const bool can = kLimited && __builtin_cpu_supports("avx512bw") != 0;
  if (!can) WARN("not tested: this processor has no AVX-512");
  return can;
}

}  // namespace

TEST_CASE("bf16: oneDNN's product equals float64's for every layout and remainder", "[tensor]") {
  if (!supported()) return;
  for (const Sizes& sizes : {Sizes{13, 37, 22}, Sizes{64, 64, 64}, Sizes{1, 1, 1}, Sizes{1, 512, 1},
                             Sizes{130, 96, 200}, Sizes{65, 1025, 65}, Sizes{7, 2500, 3}}) {
    for (const bool a_turned : {false, true}) {
      for (const bool b_turned : {false, true}) check_product(sizes, a_turned, b_turned);
    }
  }
}

TEST_CASE("bf16: oneDNN's product reads only its operands", "[tensor]") {
  if (!supported()) return;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const int64_t k : {5, 37, 64}) {
    at::Tensor wide = at::full({20, 100}, nan).to(at::kBFloat16);
    at::Tensor a = wide.slice(0, 2, 15).slice(1, 3, 3 + k);
    a.copy_(draw(1, {13, k}));
    at::Tensor more = at::full({100, 100}, nan).to(at::kBFloat16);
    at::Tensor b = more.slice(0, 1, 1 + k).slice(1, 4, 26);
    b.copy_(draw(2, {k, 22}));
    const at::Tensor exact = at::mm(a.to(at::kDouble), b.to(at::kDouble));
    at::Tensor out = at::empty({13, 22});
    bf16_product(out, a, b, false, Bf16Support::kOneDnn);
    CHECK(distance(out, exact) < 2e-6);
    at::Tensor turned = at::empty({22, 13});
    bf16_product(turned, b.t(), a.t(), false, Bf16Support::kOneDnn);
    CHECK(distance(turned, exact.t()) < 2e-6);
  }
}

TEST_CASE("bf16: oneDNN's product of matrices without elements", "[tensor]") {
  at::Tensor out = at::ones({2, 3});
  bf16_product(out, draw(1, {2, 0}), draw(2, {0, 3}), true, Bf16Support::kOneDnn);
  CHECK(out.sum().item<float>() == 6);
  bf16_product(out, draw(1, {2, 0}), draw(2, {0, 3}), false, Bf16Support::kOneDnn);
  CHECK(out.sum().item<float>() == 0);
}
