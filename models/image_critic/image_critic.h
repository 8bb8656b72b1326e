// Critic that compares real with generated images, with or without the conditions that they were
// generated from.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/trainable.h"
#include "framework/core/nn/batch_norm.h"
#include "framework/core/nn/conv2d.h"
#include "framework/core/nn/linear.h"

namespace lvtext {

struct ImageCriticOptions {
  std::string image = "image";
  std::optional<std::string> condition;
  int64_t width = 64;
  int64_t condition_width = 128;
  double clamp = 0.01;
  int64_t smoothing = 5;
  int64_t patience = 10;
  double min_gain = 0.005;

  template <class V>
  void visit(V& v) {
    v.field("image", image,
            "column of the images, in both streams: `train`, the real ones, and `generated`",
            not_empty());
    v.field("condition", condition,
            "column of vectors that the critic sees beside an image; unset: it sees images alone",
            not_empty());
    v.field("width", width, "channels after the first convolution; each further one doubles them",
            in_range(1, 4096));
    v.field("condition_width", condition_width,
            "width to which conditions are mapped before they join the images", in_range(1, 65536));
    v.field("clamp", clamp, "largest magnitude of every parameter", above(0));
    v.field("smoothing", smoothing,
            "number of validations whose mean distance decides about the end of training",
            at_least(1));
    v.field("patience", patience,
            "training ends after this number of validations without a gain of the mean distance",
            at_least(1));
    v.field("min_gain", min_gain, "smallest gain, as a share of the largest mean distance so far",
            at_least(0));
  }
};

/// f(x) or f(x, c), trained to maximize the distance W = mean f(real) - mean f(generated) with all
/// parameters, those of batch normalization included, in [-clamp, clamp] (Arjovsky, Chintala and
/// Bottou 2017). W is comparable only between critics of the same architecture: it is at most 2
/// clamp^2 16 C, with C the channels of the last feature map (largest_distance()). Proof: every
/// normalized channel has mean square 1 over examples and positions. Images of 8 pixels have a
/// single convolution without normalization; without a condition, their bound is 16 ch times
/// larger, with ch channels of an image.
///
/// The network is the discriminator of DCGAN (Radford, Metz and Chintala 2016): convolutions 4x4
/// with stride 2 without bias, batch normalization (not in the first) and LeakyReLU(0.2) until the
/// feature map has 4x4 positions, then a convolution 4x4 to one number. With a condition, before
/// the last convolution: LeakyReLU of a linear map of the condition at every position beside the
/// feature map, a convolution 1x1, batch normalization and LeakyReLU. The joint layer is necessary:
/// if the condition were only added to the score, it would cancel in W.
///
/// The stream "train" has the real images, "generated" the others. They pass in separate batches,
/// each with its own statistics; running statistics are neither updated nor used. Scores use
/// batches of the size of training. One phase "critic" in float32 with the term "distance".
class ImageCritic : public Trainable, public ImageScorer, public ImageFeatures {
 public:
  static constexpr int kRevision = 1;
  /// Throws ConfigError for images that are not square or not 4 times a power of two from 8 on.
  ImageCritic(const ImageCriticOptions& options, const ModelInputs& inputs);

  std::vector<ParamGroup> groups() override;
  std::vector<Phase> phases() const override;
  std::vector<StreamDecl> streams() const override;
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  /// "plateau": the mean of the last `smoothing` distances has not risen by `min_gain` for
  /// `patience` validations.
  std::optional<std::string> stop_reason(const TrainerState& state) const override;
  std::string micro_batch_problem() const override;
  int64_t min_batch_size() const override { return 2; }
  /// RMSprop with learning rate 5e-5, whole batches of 64, validation every 50 updates, at most
  /// 3000 updates, the last weights (WassersteinGAN's main.py; the rest is chosen).
  static Node training();

  int64_t scored_condition_size() const override { return condition_size_; }
  /// The largest batch of training.
  int64_t scored_together() const override;
  double largest_distance() const override;
  at::Tensor score_images(const at::Tensor& images, const at::Tensor& conditions) override;
  int64_t feature_size() const override { return channels_; }
  /// The mean of the last feature map over its positions, before a condition joins it, [B, C], by
  /// the statistics of these images: differences between two batches that normalization removes,
  /// such as in contrast, are not in their vectors.
  at::Tensor image_features(const at::Tensor& images) override;

 private:
  struct Block {
    std::shared_ptr<Conv2d> convolution;
    std::shared_ptr<BatchNorm> norm;  ///< null in the first
  };
  /// Feature map [B, C, 4, 4] of images, bytes [B, ch, S, S].
  at::Tensor features(const at::Tensor& images) const;
  /// Scores [B] of feature maps under conditions [B, E] (undefined without conditions).
  at::Tensor scored(const at::Tensor& features, const at::Tensor& conditions) const;
  at::Tensor scored(const Batch& batch) const;

  ImageCriticOptions options_;
  int64_t condition_size_ = 0;
  int64_t image_channels_ = 1;
  int64_t channels_ = 0;  ///< C
  std::vector<Block> blocks_;
  std::shared_ptr<Linear> to_condition_;  ///< null without a condition
  Block joint_;                           ///< null without a condition
  std::shared_ptr<Conv2d> output_;
  at::Tensor batch_;  ///< number of images of the largest batch of training
};

}  // namespace lvtext
