// Networks of the text-to-image GANs: conditioning net, generators, discriminator. Images have
// values from -1 to 1; initial weights are N(0, 0.02^2), those of normalizations N(1, 0.02^2).
#pragma once

#include <memory>
#include <vector>

#include "framework/core/nn/batch_norm.h"
#include "framework/core/nn/conv2d.h"
#include "framework/core/nn/linear.h"
#include "models/stackgan/stackgan_options.h"

namespace lvtext {

/// Convolution without bias and batch normalization, [B, I, H, W] -> [B, O, H', W'].
class NormalizedConv : public torch::nn::Module {
 public:
  NormalizedConv(const Init& init, const ConvLayout& layout);
  at::Tensor forward(const at::Tensor& x, BatchNormMode mode) const;

 private:
  std::shared_ptr<Conv2d> conv_;
  std::shared_ptr<BatchNorm> norm_;
};

/// The same without normalization where `is_normalized` is false.
class DownBlock : public torch::nn::Module {
 public:
  /// Convolution 4x4 of stride 2, (batch normalization,) leaky ReLU of slope 0.2.
  DownBlock(const Init& init, int64_t in, int64_t out, bool is_normalized);
  /// [B, in, S, S] -> [B, out, S/2, S/2].
  at::Tensor forward(const at::Tensor& x, BatchNormMode mode) const;

 private:
  std::shared_ptr<NormalizedConv> normalized_;  ///< null without normalization
  std::shared_ptr<Conv2d> plain_;               ///< null with normalization
};

/// Mean and log variance of a Gaussian for each condition (conditioning augmentation, Zhang et al.
/// 2017, section 3.2), computed in float32.
class Conditioning : public torch::nn::Module {
 public:
  Conditioning(const Init& init, int64_t width, const ConditioningOptions& options);
  struct Gaussian {
    at::Tensor mean, log_variance;  ///< [B, size]
  };
  /// [B, width] ->
  Gaussian forward(const at::Tensor& condition) const;

 private:
  ConditioningActivation activation_;
  std::shared_ptr<Linear> linear_;
};

/// Sizes of a generator's images.
struct ImageShape {
  int64_t channels = 1, size = 64;  ///< C, S
};

/// Number of doublings from `small` to `large` pixels. Throws ConfigError if it is none.
int64_t doublings_between(int64_t small, int64_t large);

/// Doubles the size of images `doublings` times, halving the channels, then maps to an image: each
/// time nearest upsampling, convolution 3x3, batch normalization, ReLU; last convolution 3x3, tanh.
class Upsampler : public torch::nn::Module {
 public:
  Upsampler(const Init& init, int64_t channels, int64_t doublings, int64_t image_channels);
  /// [B, channels, S, S] -> [B, C, 2^doublings S, 2^doublings S].
  at::Tensor forward(at::Tensor x, BatchNormMode mode) const;

 private:
  std::vector<std::shared_ptr<NormalizedConv>> blocks_;
  std::shared_ptr<Conv2d> image_;
};

/// Generator of a first stage: a linear layer to 4x4 pixels, then doublings. For 64 pixels it has 8
/// `width` channels at 4x4, and twice as many for each doubling of the image.
class FirstGenerator : public torch::nn::Module {
 public:
  FirstGenerator(const Init& init, int64_t inputs, int64_t width, const ImageShape& image);
  /// [B, inputs] (noise, then condition) -> [B, C, S, S].
  at::Tensor forward(const at::Tensor& x, BatchNormMode mode) const;

 private:
  int64_t channels_;
  std::shared_ptr<Linear> linear_;
  std::shared_ptr<BatchNorm> norm_;
  std::shared_ptr<Upsampler> upsampler_;
};

/// x + the result of two normalized convolutions 3x3, ReLU.
class ResidualBlock : public torch::nn::Module {
 public:
  ResidualBlock(const Init& init, int64_t channels);
  at::Tensor forward(const at::Tensor& x, BatchNormMode mode) const;

 private:
  std::shared_ptr<NormalizedConv> first_, second_;
};

/// Generator of a second stage: the first stage's image is reduced to a quarter of its size, joined
/// with the condition, refined by residual blocks and doubled up to the size of the image.
class SecondGenerator : public torch::nn::Module {
 public:
  SecondGenerator(const Init& init, int64_t condition, int64_t width, int64_t residual_blocks,
                  int64_t small_size, const ImageShape& image);
  /// [B, C, s, s] with values from -1 to 1 and [B, condition] -> [B, C, S, S].
  at::Tensor forward(const at::Tensor& small, const at::Tensor& condition,
                     BatchNormMode mode) const;

 private:
  std::shared_ptr<Conv2d> enter_;
  std::vector<std::shared_ptr<NormalizedConv>> down_;
  std::shared_ptr<NormalizedConv> joint_;
  std::vector<std::shared_ptr<ResidualBlock>> residual_;
  std::shared_ptr<Upsampler> upsampler_;
};

/// Form of a Discriminator.
struct DiscriminatorLayout {
  int64_t condition = 0;      ///< width of the condition
  bool has_own_layer = true;  ///< the condition passes a linear layer and a leaky ReLU first
  int64_t judged = 128;  ///< width of what is joined with the image; `condition` without own layer
  int64_t width = 64;    ///< channels of the first block
  bool normalizes_joint = false;
  bool judges_images = false;  ///< whether it has a score of images alone, too
};

/// Logits of images and of pairs of an image and a condition. Images are halved until 4x4, the
/// channels doubled from `width`, those above 8 `width` reduced again; the condition is repeated at
/// each of the 4x4 places and joined by a convolution 3x3.
class Discriminator : public torch::nn::Module {
 public:
  Discriminator(const Init& init, const DiscriminatorLayout& layout, const ImageShape& image);
  /// [B, C, S, S] -> [B, 8 width, 4, 4], what the scores are computed from.
  at::Tensor see(at::Tensor images, BatchNormMode mode) const;
  /// Logit of each pair [B], from see() and conditions [B, D].
  at::Tensor judge_pairs(const at::Tensor& seen, const at::Tensor& conditions,
                         BatchNormMode mode) const;
  /// Logit of each image [B], from see().
  at::Tensor judge_images(const at::Tensor& seen) const;

 private:
  std::vector<std::shared_ptr<DownBlock>> down_;
  std::vector<std::shared_ptr<NormalizedConv>> reduce_;
  std::shared_ptr<Linear> condition_;  ///< null without own layer
  std::shared_ptr<NormalizedConv> normalized_joint_;
  std::shared_ptr<Conv2d> joint_, pair_, image_;
};

}  // namespace lvtext
