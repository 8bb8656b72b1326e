// What the toys' models can do for the toys' evaluators and inference.
#pragma once

#include <ATen/core/Tensor.h>

#include "framework/core/model/batch.h"
#include "framework/core/tensor/philox.h"

namespace toys {

/// Sentence -> class.
class Classifier {
 public:
  static constexpr const char* kName = "classifier";
  virtual ~Classifier() = default;
  /// Log-probabilities, [B, classes].
  virtual at::Tensor classify(const lvtext::Tokens& sentences) = 0;
};

/// Sentence -> sentence of the other style.
class StyleTransfer {
 public:
  static constexpr const char* kName = "style_transfer";
  virtual ~StyleTransfer() = default;
  /// Sentences in the other style of sentences of style 0 or 1.
  virtual lvtext::Tokens transfer(const lvtext::Tokens& sentences, int style) = 0;
};

/// Token -> vector.
class WordVectors {
 public:
  static constexpr const char* kName = "word_vectors";
  virtual ~WordVectors() = default;
  /// One row for each token, [V, D].
  virtual at::Tensor vectors() const = 0;
};

/// Condition -> image.
class ImageGenerator {
 public:
  static constexpr const char* kName = "image_generator";
  virtual ~ImageGenerator() = default;
  /// Images [B, 1, 8, 8] with values from 0 to 1 of conditions [B, D].
  virtual at::Tensor draw(const at::Tensor& conditions, const at::Tensor& example_ids,
                          const lvtext::NoiseKey& key) = 0;
};

/// Images -> one number each, which training raised on real and lowered on generated ones.
class ImageScorer {
 public:
  static constexpr const char* kName = "image_scorer";
  virtual ~ImageScorer() = default;
  /// [B] of images [B, 1, 8, 8] with values from 0 to 1.
  virtual at::Tensor score_images(const at::Tensor& images) = 0;
};

}  // namespace toys
