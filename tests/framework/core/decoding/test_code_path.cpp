#include "framework/core/decoding/latent_path.h"

#include <ATen/ATen.h>

#include <cmath>

#include "tests/catch.h"

using namespace lvtext;

namespace {

at::Tensor vector(const std::vector<float>& values) {
  return at::tensor(values);
}

double angle(const at::Tensor& a, const at::Tensor& b) {
  return std::acos(std::min(1.0, a.dot(b).item<double>()));
}

}  // namespace

TEST_CASE("interpolation: on the sphere all latent vectors are unit vectors at equal angles",
          "[decoding]") {
  const at::Tensor a = vector({1, 0, 0}), b = vector({0, 0.6F, 0.8F});
  const at::Tensor latents = latents_between(a, b, 5, /*on_unit_sphere=*/true);
  REQUIRE(latents.size(0) == 5);
  CHECK(latents.scalar_type() == a.scalar_type());
  CHECK(at::allclose(latents[0], a, 0, 1e-6));
  CHECK(at::allclose(latents[4], b, 0, 1e-6));
  for (int64_t i = 0; i < 5; ++i) {
    CHECK(latents[i].norm().item<double>() == Approx(1).margin(1e-6));
    if (i > 0) CHECK(angle(latents[i - 1], latents[i]) == Approx(std::acos(0.0) / 4).margin(1e-3));
  }
}

TEST_CASE("interpolation: paths exist between opposite and equal latent vectors of the sphere",
          "[decoding]") {
  const at::Tensor a = vector({0, 1, 0});
  const at::Tensor around = latents_between(a, -a, 3, true);
  CHECK(around[1].norm().item<double>() == Approx(1).margin(1e-6));
  CHECK(around[1].dot(a).item<double>() == Approx(0).margin(1e-6));
  CHECK(at::allclose(around[2], -a, 0, 1e-6));
  CHECK(at::allclose(latents_between(a, a, 3, true)[1], a, 0, 1e-6));
}

TEST_CASE("interpolation: other latent vectors are on the straight line", "[decoding]") {
  const at::Tensor latents = latents_between(vector({1, 0}), vector({3, -4}), 3, false);
  CHECK(at::allclose(latents[1], vector({2, -2})));
  CHECK(at::equal(latents[0], vector({1, 0})));
  CHECK(at::equal(latents[2], vector({3, -4})));
}
