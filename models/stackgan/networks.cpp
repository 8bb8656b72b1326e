#include "models/stackgan/networks.h"

#include <string>

#include "framework/core/base/error.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/tensor/products.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {
namespace {

constexpr double kDeviation = 0.02;  // of initial weights
constexpr double kSlope = 0.2;       // of leaky ReLUs
constexpr int64_t kMinSide = 4;      // pixels at which generators begin and discriminators end

ConvLayout conv3(int64_t in, int64_t out) {
  return {.in = in, .out = out, .kernel = 3, .padding = 1, .deviation = kDeviation};
}

ConvLayout conv4_half(int64_t in, int64_t out) {
  return {.in = in, .out = out, .kernel = 4, .stride = 2, .padding = 1, .deviation = kDeviation};
}

at::Tensor leaky(const at::Tensor& x) {
  return at::leaky_relu(x, kSlope);
}

/// A vector for each place of 2D features, [B, D] -> [B, D, S, S].
at::Tensor repeated(const at::Tensor& vectors, int64_t size) {
  return vectors.view({vectors.size(0), vectors.size(1), 1, 1}).expand({-1, -1, size, size});
}

std::string numbered(const char* name, size_t index) {
  return name + std::to_string(index);
}

}  // namespace

int64_t doublings_between(int64_t small, int64_t large) {
  int64_t doublings = 0;
  int64_t size = small;
  for (; size > 0 && size < large; size *= 2) ++doublings;
  if (size == large && doublings > 0) return doublings;
  throw ConfigError("images of " + std::to_string(large) + " x " + std::to_string(large) +
                    " pixels: this model's images have " + std::to_string(small) +
                    " pixels times a power of two");
}

NormalizedConv::NormalizedConv(const Init& init, const ConvLayout& layout) {
  const ModuleScope scope(*this, init);
  conv_ = scope.add<Conv2d>("conv", layout);
  norm_ = scope.add<BatchNorm>("norm", layout.out, kDeviation, /*mean=*/1.0);
}

at::Tensor NormalizedConv::forward(const at::Tensor& x, BatchNormMode mode) const {
  return norm_->forward(conv_->forward(x), mode);
}

DownBlock::DownBlock(const Init& init, int64_t in, int64_t out, bool is_normalized) {
  const ModuleScope scope(*this, init);
  const ConvLayout layout = conv4_half(in, out);
  if (is_normalized) {
    normalized_ = scope.add<NormalizedConv>("normalized", layout);
  } else {
    plain_ = scope.add<Conv2d>("conv", layout);
  }
}

at::Tensor DownBlock::forward(const at::Tensor& x, BatchNormMode mode) const {
  return leaky(normalized_ ? normalized_->forward(x, mode) : plain_->forward(x));
}

Conditioning::Conditioning(const Init& init, int64_t width, const ConditioningOptions& options)
    : activation_(options.activation.effective()) {
  linear_ = ModuleScope(*this, init).add<Linear>("linear", width, 2 * options.size, kDeviation);
}

Conditioning::Gaussian Conditioning::forward(const at::Tensor& condition) const {
  const MixedPrecisionScope exact(false);
  at::Tensor x = linear_->forward(condition);
  if (activation_ == ConditioningActivation::kRelu) x = at::relu(x);
  if (activation_ == ConditioningActivation::kLeaky) x = leaky(x);
  const auto halves = x.chunk(2, 1);
  return {halves[0], halves[1]};
}

Upsampler::Upsampler(const Init& init, int64_t channels, int64_t doublings,
                     int64_t image_channels) {
  const ModuleScope scope(*this, init);
  for (int64_t k = 0; k < doublings; ++k, channels /= 2) {
    blocks_.push_back(scope.add<NormalizedConv>(numbered("up", k), conv3(channels, channels / 2)));
  }
  image_ = scope.add<Conv2d>("image", conv3(channels, image_channels));
}

at::Tensor Upsampler::forward(at::Tensor x, BatchNormMode mode) const {
  for (const auto& block : blocks_) x = at::relu(block->forward(upsample_nearest(x), mode));
  return at::tanh(image_->forward(x));
}

FirstGenerator::FirstGenerator(const Init& init, int64_t inputs, int64_t width,
                               const ImageShape& image)
    : channels_(width / 2 * (image.size / kMinSide)) {
  const ModuleScope scope(*this, init);
  const int64_t units = channels_ * kMinSide * kMinSide;
  linear_ = scope.add<Linear>("linear", inputs, units, kDeviation, /*has_bias=*/false);
  norm_ = scope.add<BatchNorm>("norm", units, kDeviation, /*mean=*/1.0);
  upsampler_ = scope.add<Upsampler>("upsampler", channels_, doublings_between(kMinSide, image.size),
                                    image.channels);
}

at::Tensor FirstGenerator::forward(const at::Tensor& x, BatchNormMode mode) const {
  const at::Tensor first = at::relu(norm_->forward(linear_->forward(x), mode));
  return upsampler_->forward(first.view({-1, channels_, kMinSide, kMinSide}), mode);
}

ResidualBlock::ResidualBlock(const Init& init, int64_t channels) {
  const ModuleScope scope(*this, init);
  first_ = scope.add<NormalizedConv>("first", conv3(channels, channels));
  second_ = scope.add<NormalizedConv>("second", conv3(channels, channels));
}

at::Tensor ResidualBlock::forward(const at::Tensor& x, BatchNormMode mode) const {
  return at::relu(x + second_->forward(at::relu(first_->forward(x, mode)), mode));
}

SecondGenerator::SecondGenerator(const Init& init, int64_t condition, int64_t width,
                                 int64_t residual_blocks, int64_t small_size,
                                 const ImageShape& image) {
  const ModuleScope scope(*this, init);
  enter_ = scope.add<Conv2d>("enter", conv3(image.channels, width));
  for (size_t k = 0; k < 2; ++k) {
    down_.push_back(
        scope.add<NormalizedConv>(numbered("down", k), conv4_half(width << k, width << (k + 1))));
  }
  const int64_t wide = 4 * width;
  joint_ = scope.add<NormalizedConv>("joint", conv3(wide + condition, wide));
  for (int64_t k = 0; k < residual_blocks; ++k) {
    residual_.push_back(scope.add<ResidualBlock>(numbered("residual", k), wide));
  }
  upsampler_ = scope.add<Upsampler>("upsampler", wide,
                                    doublings_between(small_size / 4, image.size), image.channels);
}

at::Tensor SecondGenerator::forward(const at::Tensor& small, const at::Tensor& condition,
                                    BatchNormMode mode) const {
  at::Tensor x = at::relu(enter_->forward(small));
  for (const auto& block : down_) x = at::relu(block->forward(x, mode));
  x = at::relu(joint_->forward(at::cat({x, repeated(condition, x.size(2))}, 1), mode));
  for (const auto& block : residual_) x = block->forward(x, mode);
  return upsampler_->forward(x, mode);
}

Discriminator::Discriminator(const Init& init, const DiscriminatorLayout& layout,
                             const ImageShape& image) {
  const ModuleScope scope(*this, init);
  const int64_t halvings = doublings_between(kMinSide, image.size), kept = 8 * layout.width;
  int64_t channels = layout.width;
  down_.push_back(scope.add<DownBlock>("down0", image.channels, channels, false));
  for (int64_t k = 1; k < halvings; ++k, channels *= 2) {
    down_.push_back(scope.add<DownBlock>(numbered("down", k), channels, 2 * channels, true));
  }
  for (size_t k = 0; channels > kept; ++k, channels /= 2) {
    reduce_.push_back(
        scope.add<NormalizedConv>(numbered("reduce", k), conv3(channels, channels / 2)));
  }
  if (layout.has_own_layer) {
    condition_ = scope.add<Linear>("condition", layout.condition, layout.judged, kDeviation);
  }
  const int64_t judged = layout.has_own_layer ? layout.judged : layout.condition;
  const ConvLayout joint = conv3(channels + judged, channels);
  if (layout.normalizes_joint) {
    normalized_joint_ = scope.add<NormalizedConv>("joint", joint);
  } else {
    joint_ = scope.add<Conv2d>("joint", joint);
  }
  const ConvLayout score = {.in = channels,
                            .out = 1,
                            .kernel = kMinSide,
                            .stride = kMinSide,
                            .bias = true,
                            .deviation = kDeviation};
  pair_ = scope.add<Conv2d>("pair", score);
  if (layout.judges_images) image_ = scope.add<Conv2d>("image", score);
}

at::Tensor Discriminator::see(at::Tensor images, BatchNormMode mode) const {
  for (const auto& block : down_) images = block->forward(images, mode);
  for (const auto& block : reduce_) images = leaky(block->forward(images, mode));
  return images;
}

at::Tensor Discriminator::judge_pairs(const at::Tensor& seen, const at::Tensor& conditions,
                                      BatchNormMode mode) const {
  const at::Tensor judged = condition_ ? leaky(condition_->forward(conditions)) : conditions;
  const at::Tensor both = at::cat({seen, repeated(judged, seen.size(2))}, 1);
  const at::Tensor joint =
      normalized_joint_ ? normalized_joint_->forward(both, mode) : joint_->forward(both);
  return pair_->forward(leaky(joint)).flatten();
}

at::Tensor Discriminator::judge_images(const at::Tensor& seen) const {
  return image_->forward(seen).flatten();
}

}  // namespace lvtext
