#include "losses/adversarial.h"

#include <cmath>

#include "framework/core/tensor/torch.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

at::Tensor row(const std::vector<double>& values) {
  return at::tensor(values, at::kDouble);
}

at::Tensor rows(std::vector<double> values, int64_t width) {
  return row(std::move(values)).view({-1, width});
}

}  // namespace

TEST_CASE("adversarial: discriminator and adversarial term match the numeric case", "[losses]") {
  const at::Tensor prior = row({1.5, -0.5, 0.2});
  const at::Tensor latents = row({-0.7, 0.4, 2.0}).requires_grad_();
  CHECK(discriminator_sum(prior, latents).item<double>() / 3 == Approx(1.73891948).margin(1e-8));
  const at::Tensor term = non_saturating_sum(latents) / 3;
  CHECK(term.item<double>() == Approx(0.58104310).margin(1e-8));
  const double rec = 1.86824369;
  CHECK(rec + 10 * term.item<double>() == Approx(7.67867473).margin(1e-7));
  CHECK(rec + 20 * term.item<double>() == Approx(13.48910578).margin(1e-7));
  const at::Tensor gradient = torch::autograd::grad({term}, {latents})[0];
  CHECK(gradient.allclose(row({-0.22272926, -0.13377078, -0.03973431}), 0, 1e-8));
  CHECK(discriminator_accuracy(prior, latents.detach()).item<double>() == Approx(0.5));
}

TEST_CASE("adversarial: confident logits keep their magnitude in float32", "[losses]") {
  CHECK(non_saturating_sum(at::full({1}, -60.f)).item<float>() == 60.f);
  CHECK(discriminator_sum(at::full({1}, 60.f), at::full({1}, -60.f)).item<float>() < 1e-20f);
  CHECK(std::isfinite(discriminator_sum(at::full({1}, -1e4f), at::full({1}, 1e4f)).item<float>()));
}

TEST_CASE("adversarial: the latent vectors' gradient matches the numeric case", "[losses]") {
  const at::Tensor gradient = rows({0.3, -0.4, 0.6, 0.8}, 2);
  CHECK(mean_row_norm(gradient).item<double>() == Approx(0.75).margin(1e-12));
  const at::Tensor turned = latent_gradient(gradient, row({0.02})[0], 0.01);
  CHECK(turned.allclose(rows({-0.00008, 0.000106667, -0.00016, -0.000213333}, 2), 0, 1e-9));
  CHECK(latent_gradient(at::zeros({2, 2}), at::ones({}), 0.01).abs().sum().item<float>() == 0);
}

TEST_CASE("adversarial: the penalty of a linear critic matches the numeric case", "[losses]") {
  const at::Tensor weight = row({0.5, -2}).requires_grad_();
  const at::Tensor points =
      points_between(rows({1, 2, 3, 4}, 2), rows({0, 0, 1, 1}, 2), rows({0.25, 1}, 1));
  CHECK(points.detach().allclose(rows({0.25, 0.5, 3, 4}, 2), 0, 1e-12));
  const at::Tensor penalty = gradient_penalty_sum(at::mv(points, weight), points) / 2;
  CHECK(penalty.item<double>() == Approx(1.12689437).margin(1e-8));
  // d (|w| - 1)^2 / dw = 2 (|w| - 1) w / |w|
  const double size = std::sqrt(4.25);
  const at::Tensor expected = weight.detach() * (2 * (size - 1) / size);
  CHECK(torch::autograd::grad({penalty}, {weight})[0].allclose(expected, 0, 1e-10));
}

TEST_CASE("adversarial: the penalty's gradient agrees with finite differences", "[losses]") {
  const at::Tensor first = at::linspace(-1, 1, 12, at::kDouble).view({4, 3}).sin().requires_grad_();
  const at::Tensor second = at::linspace(0.2, 1, 4, at::kDouble).cos().requires_grad_();
  const at::Tensor real = at::linspace(-2, 2, 15, at::kDouble).view({5, 3});
  const at::Tensor alpha = at::linspace(0.1, 0.9, 5, at::kDouble).view({5, 1});
  const auto penalty = [&](const at::Tensor& w) {
    const at::Tensor points = points_between(real, real.flip(0).cos(), alpha);
    return gradient_penalty_sum(at::mv(at::tanh(at::linear(points, w)), second), points);
  };
  const at::Tensor gradient = torch::autograd::grad({penalty(first)}, {first})[0];
  for (int64_t i = 0; i < first.numel(); ++i) {
    constexpr double kStep = 1e-5;
    const auto moved = [&](double by) {
      at::Tensor w = first.detach().clone();
      w.view(-1)[i] += by;
      return penalty(w.requires_grad_()).item<double>();
    };
    const double slope = (moved(kStep) - moved(-kStep)) / (2 * kStep);
    CHECK(gradient.view(-1)[i].item<double>() == Approx(slope).margin(1e-7));
  }
}

TEST_CASE("adversarial: wrong shapes are rejected by name instead of broadcast", "[losses]") {
  const at::Tensor column = at::zeros({3, 1}), points = at::zeros({3, 2});
  CHECK_THROWS_WITH(discriminator_sum(column, at::zeros({3})),
                    Contains("real has the shape [3, 1], expected {-1} = [*]"));
  CHECK_THROWS_WITH(non_saturating_sum(column), Contains("fake has the shape [3, 1]"));
  CHECK_THROWS_WITH(points_between(points, points, at::zeros({3})),
                    Contains("alpha has the shape [3]") && Contains("= [3, 1]"));
  CHECK_THROWS_WITH(gradient_penalty_sum(at::zeros({}), points),
                    Contains("scores has the shape []") && Contains("= [3]"));
}
