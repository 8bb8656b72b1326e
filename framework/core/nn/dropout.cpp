#include "framework/core/nn/dropout.h"

#include "framework/core/base/error.h"
#include "framework/core/tensor/shape.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {
namespace {

void check_scaled(double p) {
  LVT_ASSERT(p >= 0 && p < 1, "a dropout probability must be in [0, 1)");
}

}  // namespace

at::Tensor variational_mask(const NoiseKey& key, const at::Tensor& example_ids, int64_t width,
                            double p, const at::TensorOptions& options) {
  check_scaled(p);
  const double keep = 1 - p;
  if (keep == 1) {
    return {};
  }
  return dropout_mask(key, example_ids, {width}, p, options).div_(keep);
}

at::Tensor type_mask(const at::Tensor& ids, const NoiseKey& key, const at::Tensor& example_ids,
                     double p, const at::TensorOptions& options) {
  check_scaled(p);
  if (1 - p == 1) return {};
  LVT_CHECK_SHAPE(ids, {-1, -1});
  LVT_CHECK_SHAPE(example_ids, {ids.size(0)});
  // One example for each pair of a sentence and an id.
  const at::Tensor pairs =
      example_ids.unsqueeze(1) * (int64_t{1} << 31) + ids.to(at::kCPU, at::kLong);
  return variational_mask(key, pairs.flatten(), 1, p, options).view({ids.size(0), ids.size(1), 1});
}

at::Tensor apply_variational(const at::Tensor& x, const at::Tensor& mask) {
  if (!mask.defined()) return x;
  LVT_CHECK_SHAPE(x, {-1, -1, -1});
  LVT_CHECK_SHAPE(mask, {x.size(0), x.size(2)});
  return x * mask.unsqueeze(1);
}

at::Tensor dropout(const at::Tensor& x, const NoiseKey& key, const at::Tensor& example_ids,
                   double p) {
  check_scaled(p);
  const double keep = 1 - p;
  if (keep == 1) {
    return x;
  }
  LVT_CHECK_SHAPE(example_ids, {x.size(0)});
  const auto options = at::TensorOptions().device(x.device()).dtype(x.scalar_type());
  return x * dropout_mask(key, example_ids, x.sizes().slice(1), p, options).div_(keep);
}

at::Tensor word_dropout(const at::Tensor& input_ids, const NoiseKey& key,
                        const at::Tensor& example_ids, double p, int64_t bos, int64_t unk) {
  const auto options = at::TensorOptions().device(input_ids.device()).dtype(at::kFloat);
  const at::Tensor mask = word_mask(input_ids, key, example_ids, p, bos, options);
  return mask.defined() ? input_ids.masked_fill(mask.squeeze(2) == 0, unk) : input_ids;
}

at::Tensor word_mask(const at::Tensor& input_ids, const NoiseKey& key,
                     const at::Tensor& example_ids, double p, int64_t bos,
                     const at::TensorOptions& options) {
  LVT_ASSERT(p >= 0 && p <= 1, "a dropout probability must be in 0..1");
  if (1 - p == 1) {
    return {};
  }
  LVT_CHECK_SHAPE(input_ids, {-1, -1});
  LVT_CHECK_SHAPE(example_ids, {input_ids.size(0)});
  const at::Tensor kept = dropout_mask(key, example_ids, {input_ids.size(1)}, p, options);
  return kept.masked_fill_(input_ids == bos, 1).unsqueeze(2);
}

}  // namespace lvtext
