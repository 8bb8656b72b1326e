#include "framework/core/nn/conv2d.h"

#include <cmath>

#include "framework/core/nn/module_scope.h"
#include "framework/core/tensor/products.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {

Conv2d::Conv2d(const Init& init, const ConvLayout& layout)
    : stride_(layout.stride), padding_(layout.padding) {
  const ModuleScope scope(*this, init);
  const std::vector<int64_t> shape = {layout.out, layout.in, layout.kernel, layout.kernel};
  const auto inputs = static_cast<double>(layout.in * layout.kernel * layout.kernel);
  const double bound = layout.deviation ? 0 : 1 / std::sqrt(inputs);
  weight_ = layout.deviation ? scope.normal("weight", shape, *layout.deviation)
                             : scope.uniform("weight", shape, bound);
  if (layout.bias) bias_ = scope.uniform("bias", {layout.out}, bound);
}

at::Tensor Conv2d::forward(const at::Tensor& x) const {
  LVT_CHECK_SHAPE(x, {-1, weight_.size(1), -1, -1});
  return convolution(x.contiguous(at::MemoryFormat::ChannelsLast), weight_, bias_, stride_,
                     padding_);
}

at::Tensor upsample_nearest(const at::Tensor& x) {
  LVT_CHECK_SHAPE(x, {-1, -1, -1, -1});
  return at::upsample_nearest2d(x, {2 * x.size(2), 2 * x.size(3)});
}

}  // namespace lvtext
