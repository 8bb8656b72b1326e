#include "models/style_transfer/state_discriminator.h"

#include <string>

#include "framework/core/base/error.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/tensor/products.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {

StateDiscriminator::StateDiscriminator(const Init& init, const StateDiscriminatorLayout& layout)
    : negative_slope_(layout.negative_slope) {
  const ModuleScope scope(*this, init);
  const int64_t channels = layout.channels, width = layout.width;
  for (const int64_t n : layout.filters) {
    const ModuleScope filter = scope.child("filter" + std::to_string(filters_.size() + 1));
    // TensorFlow counts the outputs of a convolution once for each position of the filter.
    const double bound = weight_bound(layout.init, n * width, n * width * channels);
    filters_.push_back(
        {filter.uniform("weight", {n, channels, width}, bound),
         filter.uniform("bias", {channels}, bias_bound(layout.init, n * width, channels))});
  }
  const auto features = static_cast<int64_t>(layout.filters.size()) * channels;
  const ModuleScope output = scope.child("output");
  output_weight_ = output.uniform("weight", {1, features}, weight_bound(layout.init, features, 1));
  output_bias_ = output.uniform("bias", {1}, bias_bound(layout.init, features, 1));
}

at::Tensor StateDiscriminator::forward(
    const at::Tensor& states, const std::function<at::Tensor(const at::Tensor&)>& dropout) const {
  LVT_CHECK_SHAPE(states, {-1, -1, filters_.front().weight.size(2)});
  // One product for all offsets of all filters; a filter's response is a sum over its offsets.
  std::vector<at::Tensor> weights;
  for (const Filter& filter : filters_) weights.push_back(filter.weight.flatten(0, 1));
  const int64_t channels = filters_.front().bias.size(0);
  const auto products =
      affine(states, at::cat(weights)).unflatten(2, {-1, channels}).unbind(2);  // [B, S, C] each
  std::vector<at::Tensor> features;
  size_t offset = 0;
  for (const Filter& filter : filters_) {
    const int64_t width = filter.weight.size(0), windows = states.size(1) - width + 1;
    LVT_ASSERT(windows > 0, "a filter is wider than the sequence of states");
    at::Tensor response = filter.bias;
    for (int64_t j = 0; j < width; ++j) {
      response = response + products[offset++].narrow(1, j, windows);
    }
    // The leaky ReLU is monotonic, so it can follow the maximum.
    features.push_back(std::get<0>(response.max(1)));
  }
  const at::Tensor active = at::leaky_relu(at::cat(features, 1), negative_slope_);
  return affine(dropout(active), output_weight_, output_bias_).squeeze(1);
}

}  // namespace lvtext
