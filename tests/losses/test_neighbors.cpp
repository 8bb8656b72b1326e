// The loss of QuickThought: the case of the fourth paper's specification, gradients, missing
// neighbors.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "losses/neighbors.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

const at::Tensor kF = at::tensor({1., 0., 0., 1., 1., 1., -1., .5}, at::kDouble).view({4, 2});
const at::Tensor kG = at::tensor({.5, .5, 1., 0., 0., 1., 1., -1.}, at::kDouble).view({4, 2});

at::Tensor row_losses(const at::Tensor& f, const at::Tensor& g, const at::Tensor& positions,
                      OwnScore own, int64_t context = 1) {
  return neighbor_cross_entropy(neighbor_scores(f, g, own),
                                neighbor_targets(positions, context, f));
}

}  // namespace

TEST_CASE("neighbors: losses of four sentences", "[neighbors]") {
  // Specification 4, section 7.9.
  const at::Tensor rows = row_losses(kF, kG, at::arange(4), OwnScore::kZero);
  const at::Tensor expected =
      at::tensor({1.00640887, 0.99656727, 1.50640887, 0.83379020}, at::kDouble);
  CHECK(at::allclose(rows, expected, 0, 1e-8));
  CHECK(rows.mean().item<double>() == Approx(1.0857938016).epsilon(1e-10));
  CHECK(row_losses(kF, kG, at::arange(4), OwnScore::kExcluded).mean().item<double>() ==
        Approx(0.8892305679).epsilon(1e-10));
}

TEST_CASE("neighbors: targets are equal for all sentences within the context", "[neighbors]") {
  const at::Tensor targets = neighbor_targets(at::tensor({7, 3, 4, 5, 20}, at::kLong), 2, kF);
  const at::Tensor expected = at::tensor({0., 0., 0., 1., 0.,  //
                                          0., 0., .5, .5, 0.,  //
                                          0., .5, 0., .5, 0.,  //
                                          1., 1., 1., 0., 0.,  //
                                          0., 0., 0., 0., 0.},
                                         at::kDouble)
                                  .view({5, 5});
  const at::Tensor shares = expected / expected.sum(1, true).clamp_min(1);
  CHECK(at::equal(targets, shares));
}

TEST_CASE("neighbors: a sentence without neighbors has no loss and no gradient", "[neighbors]") {
  for (const OwnScore own : {OwnScore::kZero, OwnScore::kExcluded}) {
    for (const int64_t rows : {1, 3}) {
      at::Tensor f = kF.narrow(0, 0, rows).clone().requires_grad_();
      const at::Tensor loss = row_losses(f, kG.narrow(0, 0, rows), at::arange(rows) * 5, own).sum();
      CHECK(loss.item<double>() == 0);
      loss.backward();
      CHECK(at::equal(f.grad(), at::zeros_like(f)));
    }
  }
}

TEST_CASE("neighbors: gradients equal finite differences", "[neighbors]") {
  const at::Tensor positions = at::tensor({3, 4, 5, 9}, at::kLong);
  for (const OwnScore own : {OwnScore::kZero, OwnScore::kExcluded}) {
    at::Tensor f = kF.clone().requires_grad_(), g = kG.clone().requires_grad_();
    row_losses(f, g, positions, own).sum().backward();
    const at::NoGradGuard no_grad;
    for (const bool is_f : {true, false}) {
      const at::Tensor x = is_f ? f : g;
      for (int64_t k = 0; k < x.numel(); ++k) {
        const auto at_step = [&](double step) {
          at::Tensor moved = x.detach().clone();
          moved.view({-1})[k] += step;
          return row_losses(is_f ? moved : f, is_f ? g : moved, positions, own)
              .sum()
              .item<double>();
        };
        CHECK(x.grad().view({-1})[k].item<double>() ==
              Approx((at_step(1e-5) - at_step(-1e-5)) / 2e-5).epsilon(1e-7).margin(1e-9));
      }
    }
  }
}
