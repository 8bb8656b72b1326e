#include "losses/adversarial.h"

#include <cmath>

#include "framework/core/tensor/torch.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

at::Tensor row(const std::vector<double>& values) {
  return at::tensor(values, at::kDouble);
}

at::Tensor rows(const std::vector<double>& values, int64_t width) {
  return row(values).view({-1, width});
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

TEST_CASE("adversarial: the losses of a gated discriminator match the numeric case", "[losses]") {
  const at::Tensor real = row({0.3, -0.2, 1.1}), fake = row({-0.5, 0.4, 0});
  CHECK(non_saturating_sum(real).item<double>() / 3 == Approx(0.5466098130).margin(1e-10));
  CHECK(non_saturating_sum(-fake).item<double>() / 3 == Approx(0.6934131390).margin(1e-10));
  CHECK(discriminator_sum(real, fake).item<double>() / 3 == Approx(1.2400229520).margin(1e-10));
  CHECK(non_saturating_sum(fake).item<double>() / 3 == Approx(0.7267464724).margin(1e-10));
  const at::Tensor undecided = at::zeros({1}, at::kDouble);
  CHECK(discriminator_sum(undecided, undecided).item<double>() ==
        Approx(1.3862943611).margin(1e-10));
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

TEST_CASE("adversarial: each point of a linear critic has the penalty of its slope", "[losses]") {
  // Specification 3, section 7.11.
  const at::Tensor weight = row({.6, -1.2, .3});
  const at::Tensor real = rows({1, 0, -2, .5, 3, 1}, 3), fake = rows({0, 1, 1, -1, 0, 4}, 3);
  const at::Tensor points = points_between(real, fake, rows({.3, .8}, 1));
  const at::Tensor slope = torch::autograd::grad({at::mv(points, weight).sum()}, {points})[0];
  CHECK(mean_row_norm(slope).item<double>() == Approx(1.374772708).epsilon(1e-9));
  for (int64_t i = 0; i < 2; ++i) {
    const at::Tensor point = points.detach().narrow(0, i, 1).requires_grad_();
    CHECK(gradient_penalty_sum(at::mv(point, weight), point).item<double>() ==
          Approx(.140454583).epsilon(1e-8));
  }
}

TEST_CASE("adversarial: the penalty of sequences is over all of their elements", "[losses]") {
  const at::Tensor real = row({1, 0, 0.5, -1, 0.2, 0.4, 0, 1}).view({2, 2, 2});
  const at::Tensor fake = row({0, 1, 1, 0, -1, 0.5, 0.3, 0.3}).view({2, 2, 2});
  const at::Tensor weight = rows({1, -0.5, 0.25, 2}, 2);
  const auto scores = [&](const at::Tensor& h) { return (weight * h * h).sum({1, 2}); };
  CHECK(scores(real).allclose(row({3.0625, 1.96}), 0, 1e-12));
  CHECK(scores(fake).allclose(row({-0.25, 1.0775}), 0, 1e-12));
  const at::Tensor points = points_between(real, fake, rows({0.25, 0.75}, 1));
  const double distance = (scores(fake) - scores(real)).sum().item<double>() / 2;
  const double penalty = gradient_penalty_sum(scores(points), points).item<double>() / 2;
  CHECK(distance == Approx(-2.0975).margin(1e-12));
  CHECK(penalty == Approx((0.17271834 + 5.44508855) / 2).margin(1e-8));
  CHECK(distance + 10 * penalty == Approx(25.9915344208).margin(1e-9));
  // The same points with a graph to both sequences.
  const at::Tensor graph = interpolated(real.requires_grad_(), fake, rows({0.25, 0.75}, 1));
  CHECK(graph.allclose(points));
  const at::Tensor sum = gradient_penalty_sum(scores(graph), graph);
  const at::Tensor slope = torch::autograd::grad({sum}, {real})[0];
  const auto moved = [&](double by) {
    at::Tensor there = real.detach().clone();
    there[1][0][1] += by;
    const at::Tensor mixed = interpolated(there.requires_grad_(), fake, rows({0.25, 0.75}, 1));
    return gradient_penalty_sum(scores(mixed), mixed).item<double>();
  };
  CHECK(slope[1][0][1].item<double>() == Approx((moved(1e-5) - moved(-1e-5)) / 2e-5).margin(1e-7));
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
