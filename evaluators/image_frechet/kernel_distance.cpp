#include "evaluators/image_frechet/kernel_distance.h"

#include <ATen/ATen.h>

#include "framework/core/base/error.h"

namespace lvtext {
namespace {

at::Tensor kernel(const at::Tensor& x, const at::Tensor& y) {
  return (at::mm(x, y.t()) / static_cast<double>(x.size(1)) + 1).pow(3);
}

/// Mean over the pairs of different rows.
double mean_of_pairs(const at::Tensor& x) {
  const at::Tensor values = kernel(x, x);
  const auto n = static_cast<double>(x.size(0));
  return (values.sum() - values.trace()).item<double>() / (n * (n - 1));
}

}  // namespace

double kernel_distance(const at::Tensor& x, const at::Tensor& y) {
  LVT_ASSERT(
      x.dim() == 2 && y.dim() == 2 && x.size(1) == y.size(1) && x.size(0) >= 2 && y.size(0) >= 2,
      "both sides must have at least two vectors of the same width");
  const at::Tensor a = x.to(at::kDouble), b = y.to(at::kDouble);
  return mean_of_pairs(a) + mean_of_pairs(b) - 2 * kernel(a, b).mean().item<double>();
}

}  // namespace lvtext
