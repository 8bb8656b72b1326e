// Capabilities of the toys' models, which their evaluators and inference use.
#pragma once

#include <ATen/core/Tensor.h>

#include "framework/core/model/batch.h"
#include "framework/core/tensor/philox.h"

namespace toys {

/// Maps a token to a vector.
class WordVectors {
 public:
  static constexpr const char* kName = "word_vectors";
  virtual ~WordVectors() = default;
  /// One row for each token, [V, D].
  virtual at::Tensor vectors() const = 0;
};

/// Maps a condition to an image.
class ImageGenerator {
 public:
  static constexpr const char* kName = "image_generator";
  virtual ~ImageGenerator() = default;
  /// Images [B, 1, 8, 8] with values from 0 to 1, for conditions [B, D].
  virtual at::Tensor draw(const at::Tensor& conditions, const at::Tensor& example_ids,
                          const lvtext::NoiseKey& key) = 0;
};

/// Maps each image to a number, trained to be high for real and low for generated images.
class ImageScorer {
 public:
  static constexpr const char* kName = "image_scorer";
  virtual ~ImageScorer() = default;
  /// [B], for images [B, 1, 8, 8] with values from 0 to 1.
  virtual at::Tensor score_images(const at::Tensor& images) = 0;
};

}  // namespace toys
