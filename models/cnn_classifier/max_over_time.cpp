#include "models/cnn_classifier/max_over_time.h"

#include <ATen/ATen.h>

#include <limits>

#include "framework/core/nn/init.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/tensor/products.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {

MaxOverTime::MaxOverTime(const Init& init, int64_t embedding, int64_t size, int64_t filters)
    : size_(size) {
  const ModuleScope scope(*this, init);
  const int64_t inputs = size * embedding;
  weight_ =
      scope.uniform("weight", {filters, embedding, size}, glorot_bound(inputs, inputs * filters));
  bias_ = scope.uniform("bias", {filters}, glorot_bound(filters, filters));
}

at::Tensor MaxOverTime::forward(const at::Tensor& vectors, const at::Tensor& lengths) const {
  LVT_CHECK_SHAPE(vectors, {-1, -1, weight_.size(1)});
  LVT_CHECK_SHAPE(lengths, {vectors.size(0)});
  const at::Tensor windows = vectors.unfold(1, size_, 1).flatten(2);  // [B, T - size + 1, E size]
  const at::Tensor values = affine(windows, weight_.flatten(1), bias_);
  const at::Tensor first = at::arange(values.size(1), at::kLong).unsqueeze(0);
  const at::Tensor outside = first.gt((lengths - size_).unsqueeze(1)).unsqueeze(2);
  return values.masked_fill(outside.to(values.device()), -std::numeric_limits<float>::infinity())
      .amax(1);
}

}  // namespace lvtext
