#include "framework/core/tensor/torch.h"
#include "losses/annealing.h"
#include "losses/kl.h"
#include "losses/sphere.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

at::Tensor rows(const std::vector<double>& values, int64_t width) {
  return at::tensor(values, at::kDouble).view({-1, width});
}

}  // namespace

TEST_CASE("kl: values, batch mean and reparameterization match the numeric case", "[losses]") {
  const auto mu = rows({0.5, -1.0, 0, 0.25}, 2), logvar = rows({0.2, -0.3, 0, -2}, 2);
  const auto kl = gaussian_kl(mu, logvar);
  CHECK(kl.allclose(at::tensor({0.65611049, 0.59891764}, at::kDouble), 0, 1e-8));
  CHECK(kl.mean().item<double>() == Approx(0.62751407).margin(1e-8));
  const auto z = reparameterize(mu, logvar, rows({0.3, -1.2, 2, 0.1}, 2));
  CHECK(z.allclose(rows({0.83155128, -2.03284957, 2.0, 0.28678794}, 2), 0, 1e-8));
  CHECK(gaussian_kl(at::zeros({1, 3}), at::zeros({1, 3})).item<float>() == 0);
}

TEST_CASE("kl: float32 is exact near posterior collapse", "[losses]") {
  for (const double size : {1e-4, 1e-3, 1e-2, 0.1, 1.0}) {
    const auto mu = rows({size, -size}, 2), logvar = rows({size, -2 * size}, 2);
    const double exact = gaussian_kl(mu, logvar).item<double>();
    // mu^2 / 2 + logvar^2 / 4 for small values: Taylor series of exp.
    if (size < 1e-2) {
      CHECK(exact == Approx(size * size + 1.25 * size * size).epsilon(size));
    }
    const double single = gaussian_kl(mu.to(at::kFloat), logvar.to(at::kFloat)).item<float>();
    CHECK(single == Approx(exact).epsilon(2e-3));
  }
}

TEST_CASE("annealing: weights match the numeric case", "[losses]") {
  const double t[] = {0, 1, 2500, 5000, 10000};
  const double linear[] = {0, 0.0001, 0.25, 0.5, 1};
  const double logistic[] = {0.00192673466, 0.00193154821, 0.5, 0.99807326534, 0.99999999281};
  const double tanh[] = {0.00091105119, 0.00091287346, 0.11920292202, 0.95257412682, 0.99999773968};
  for (int i = 0; i < 5; ++i) {
    CHECK(linear_annealing(t[i], 10000) == Approx(linear[i]).margin(1e-11));
    CHECK(logistic_annealing(t[i], 0.0025, 2500) == Approx(logistic[i]).margin(1e-11));
    CHECK(tanh_annealing(t[i], 3500, 1000) == Approx(tanh[i]).margin(1e-11));
  }
  CHECK(linear_annealing(1e9, 10000) == 1);
  CHECK(epoch_annealing(0, 100) == Approx(0.1));
  CHECK(epoch_annealing(450, 100) == Approx(0.55));
  CHECK(epoch_annealing(900, 100) == Approx(1));
  CHECK(epoch_annealing(5000, 100) == 1);
}

TEST_CASE("sphere: normalization, its gradient and noise match the numeric case", "[losses]") {
  const auto v = rows({3, -4, 12}, 3).requires_grad_();
  const auto n = sphere_normalize(v);
  CHECK(n.allclose(rows({0.23076923, -0.30769231, 0.92307692}, 3), 0, 1e-8));
  const auto gradient = torch::autograd::grad({(n * rows({0.2, -0.1, 0.05}, 3)).sum()}, {v})[0];
  CHECK(gradient.allclose(rows({0.01319982, -0.00477924, -0.00489304}, 3), 0, 1e-8));
  const auto z = add_noise(n, at::full({}, 0.1, at::kDouble), rows({1, -2, 0.5}, 3));
  CHECK(z.allclose(rows({0.33076923, -0.50769231, 0.97307692}, 3), 0, 1e-8));
  CHECK(z.norm().item<double>() == Approx(1.14631517).margin(1e-8));
  CHECK(sphere_normalize(rows({0.6, -0.8, 2.4}, 3)).allclose(n, 0, 1e-12));
}

TEST_CASE("sphere: a zero vector and its gradient remain finite", "[losses]") {
  const auto v = at::zeros({1, 4}).requires_grad_();
  const auto n = sphere_normalize(v);
  CHECK(n.abs().sum().item<float>() == 0);
  CHECK(torch::autograd::grad({n.sum()}, {v})[0].isfinite().all().item<bool>());
}

TEST_CASE("sphere: draws are uniform", "[losses]") {
  const auto z = uniform_sphere({.seed = 3}, at::arange(100000), 8, at::kDouble);
  CHECK(z.norm(2, {1}, false).allclose(at::ones({100000}, at::kDouble), 0, 1e-12));
  CHECK(z.mean(0).abs().mean().item<double>() < 0.005);
  const auto covariance = z.t().mm(z) / 100000;
  CHECK((covariance - at::eye(8, at::kDouble) / 8).abs().max().item<double>() < 0.002);
}

TEST_CASE("sphere: noise has the expected radius", "[losses]") {
  const auto ids = at::arange(100000);
  const auto z = uniform_sphere({.seed = 3, .use = 1}, ids, 128, at::kFloat);
  const auto epsilon = normal({.seed = 3, .use = 2}, ids, {128}, at::kFloat);
  const double sigmas[] = {0.05, 0.075, 0.1}, expected[] = {1.14891253, 1.31148770, 1.50996689};
  for (int i = 0; i < 3; ++i) {
    const auto noisy = add_noise(z, at::full({}, sigmas[i], at::kFloat), epsilon);
    const double rms = std::sqrt(noisy.pow(2).sum(1).mean().item<double>());
    CHECK(rms == Approx(expected[i]).epsilon(0.01));
  }
}

TEST_CASE("latent: wrong shapes are rejected by name instead of broadcast", "[losses]") {
  const at::Tensor mu = at::zeros({2, 3}), row = at::zeros({1, 3});
  CHECK_THROWS_WITH(gaussian_kl(mu, row),
                    Contains("logvar has the shape [1, 3]") && Contains("= [2, 3]"));
  CHECK_THROWS_WITH(reparameterize(mu, mu, row), Contains("epsilon has the shape [1, 3]"));
  CHECK_THROWS_WITH(sphere_normalize(at::zeros({3})), Contains("v has the shape [3]"));
  CHECK_THROWS_WITH(add_noise(mu, at::zeros({2, 1}), mu), Contains("sigma has the shape [2, 1]"));
}
