// Two-dimensional convolution and upsampling of images.
#pragma once

#include <optional>

#include "framework/core/nn/init.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

/// Form of a Conv2d.
struct ConvLayout {
  int64_t in = 1, out = 1;  ///< channels
  int64_t kernel = 3;       ///< height and width of the filters
  int64_t stride = 1;
  int64_t padding = 0;                   ///< zeros at each border
  bool bias = false;                     ///< adds a bias for each output channel
  std::optional<double> deviation = {};  ///< initial values, as in Linear
};

/// Cross-correlation of images with filters (as torch::nn::Conv2d); parameters "weight" [out, in,
/// K, K] and "bias" [out]. Products are rounded as those of Linear (core/tensor/products.h).
class Conv2d : public torch::nn::Module {
 public:
  /// Initializes weight and bias with U(-1/sqrt(n), 1/sqrt(n)), n = in K^2, PyTorch's default; if
  /// `layout.deviation` is set, the weight with N(0, deviation^2) and the bias with 0.
  Conv2d(const Init& init, const ConvLayout& layout);
  /// [B, in, H, W] -> [B, out, H', W'], H' = (H + 2 padding - K) / stride + 1 rounded down. The
  /// result is stored channels last, which is the faster order on CPUs and GPUs.
  at::Tensor forward(const at::Tensor& x) const;

 private:
  int64_t stride_, padding_;
  at::Tensor weight_, bias_;
};

/// Repeats each pixel twice in both directions, [B, C, H, W] -> [B, C, 2H, 2W].
at::Tensor upsample_nearest(const at::Tensor& x);

}  // namespace lvtext
