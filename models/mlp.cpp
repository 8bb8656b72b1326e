#include "models/mlp.h"

#include <string>

#include "framework/nn/init.h"

namespace lvtext {
namespace {

at::Tensor initial_scales(const MlpLayout& layout, int64_t width, uint64_t seed,
                          const std::string& name) {
  if (!layout.deviation) return at::ones({width});
  return normal_init({width}, *layout.deviation, seed, name + ".weight");
}

}  // namespace

Mlp::Mlp(const MlpLayout& layout, uint64_t seed, const std::string& name) : leak_(layout.leak) {
  const size_t count = layout.widths.size() - 1;
  for (size_t i = 0; i < count; ++i) {
    const std::string layer = "layer" + std::to_string(i + 1);
    layers_.push_back(
        register_module(layer, std::make_shared<Linear>(layout.widths[i], layout.widths[i + 1],
                                                        seed, name + "." + layer)));
    if (layout.deviation) {
      const at::NoGradGuard no_grad;
      const at::Tensor& weight = layers_.back()->weight();
      weight.copy_(
          normal_init(weight.sizes(), *layout.deviation, seed, name + "." + layer + ".weight"));
      layers_.back()->bias().zero_();
    }
    const bool normalised = i + 1 < count && i < layout.normalised.size() && layout.normalised[i];
    norms_.push_back(nullptr);
    if (!normalised) continue;
    const std::string norm = "norm" + std::to_string(i + 1);
    norms_.back() =
        register_module(norm, std::make_shared<BatchNorm>(initial_scales(
                                  layout, layout.widths[i + 1], seed, name + "." + norm)));
  }
}

at::Tensor Mlp::forward(const at::Tensor& x, BatchNormMode mode) const {
  at::Tensor y = x;
  for (size_t i = 0; i < layers_.size(); ++i) {
    y = layers_[i]->forward(y);
    if (norms_[i]) y = norms_[i]->forward(y, mode);
    if (i + 1 < layers_.size()) y = leak_ == 0 ? at::relu(y) : at::leaky_relu(y, leak_);
  }
  return y;
}

}  // namespace lvtext
