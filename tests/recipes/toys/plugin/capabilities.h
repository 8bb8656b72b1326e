// Capability of the toys' critics, which their evaluators use.
#pragma once

#include <ATen/core/Tensor.h>

namespace toys {

/// Maps each image to a number, trained to be high for real and low for generated images.
class ImageScorer {
 public:
  static constexpr const char* kName = "image_scorer";
  virtual ~ImageScorer() = default;
  /// [B], for images [B, 1, 8, 8] with values from 0 to 1.
  virtual at::Tensor score_images(const at::Tensor& images) = 0;
};

}  // namespace toys
