#include "models/mlp.h"

#include <string>

#include "framework/core/nn/module_scope.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {

Mlp::Mlp(const Init& init, const MlpLayout& layout) : negative_slope_(layout.negative_slope) {
  const ModuleScope scope(*this, init);
  const size_t count = layout.widths.size() - 1;
  for (size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i + 1);
    layers_.push_back(scope.add<Linear>("layer" + number, layout.widths[i], layout.widths[i + 1],
                                        layout.deviation));
    const bool normalized = i + 1 < count && i < layout.normalized.size() && layout.normalized[i];
    norms_.push_back(
        normalized ? scope.add<BatchNorm>("norm" + number, layout.widths[i + 1], layout.deviation)
                   : nullptr);
  }
}

at::Tensor Mlp::forward(const at::Tensor& x, BatchNormMode mode) const {
  LVT_CHECK_SHAPE(x, {-1, layers_.front()->weight().size(1)});
  at::Tensor y = x;
  for (size_t i = 0; i < layers_.size(); ++i) {
    y = layers_[i]->forward(y);
    if (norms_[i]) y = norms_[i]->forward(y, mode);
    if (i + 1 < layers_.size()) {
      y = negative_slope_ == 0 ? at::relu(y) : at::leaky_relu(y, negative_slope_);
    }
  }
  return y;
}

}  // namespace lvtext
