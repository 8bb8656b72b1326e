#include "framework/core/nn/linear.h"

#include <cmath>

#include "framework/core/nn/module_scope.h"
#include "framework/core/tensor/products.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {

Linear::Linear(const Init& init, int64_t in, int64_t out, std::optional<double> deviation,
               bool has_bias) {
  const ModuleScope scope(*this, init);
  if (deviation) {
    weight_ = scope.normal("weight", {out, in}, *deviation);
    if (has_bias) bias_ = scope.uniform("bias", {out}, 0);
    return;
  }
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  weight_ = scope.uniform("weight", {out, in}, bound);
  if (has_bias) bias_ = scope.uniform("bias", {out}, bound);
}

at::Tensor Linear::forward(const at::Tensor& x) const {
  LVT_CHECK_SHAPE(x, {kLeadingDims, weight_.size(1)});
  return affine(x, weight_, bias_);
}

}  // namespace lvtext
