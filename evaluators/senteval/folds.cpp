#include "evaluators/senteval/folds.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/tensor/philox.h"

namespace lvtext {
namespace {

at::Tensor random_values(int64_t count, uint64_t seed, const char* use) {
  return uniform_step({seed, 0, 0, noise_use(use)}, {count}, at::kDouble);
}

}  // namespace

at::Tensor stratified_folds(const at::Tensor& classes, int64_t folds, uint64_t seed) {
  LVT_ASSERT(folds > 1, "there must be at least two folds");
  const int64_t rows = classes.size(0);
  // Sorted by class, in a random order within a class.
  const at::Tensor order =
      (classes.to(at::kDouble) + random_values(rows, seed, "senteval.folds")).argsort();
  at::Tensor result = at::empty({rows}, at::kLong);
  result.index_copy_(0, order, at::arange(rows, at::kLong).remainder(folds));
  return result;
}

at::Tensor random_share(const at::Tensor& among, double share, uint64_t seed) {
  const at::Tensor rows = among.nonzero().squeeze(1);
  LVT_ASSERT(rows.numel() > 0, "no row to choose from");
  const auto count = std::max<int64_t>(1, std::llround(share * static_cast<double>(rows.numel())));
  const at::Tensor order = random_values(rows.numel(), seed, "senteval.share").argsort();
  at::Tensor result = at::zeros_like(among);
  result.index_fill_(0, rows.index_select(0, order.narrow(0, 0, count)), true);
  return result;
}

bool EarlyStop::add(double value) {
  if (value > best_) {
    best_ = value;
    return true;
  }
  if (failures_ >= tenacity_) is_over_ = true;
  ++failures_;
  return false;
}

}  // namespace lvtext
