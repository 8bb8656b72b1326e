// GANs that generate images from vectors of their captions, in one stage or two.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/component.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/trainable.h"
#include "models/stackgan/networks.h"
#include "models/stackgan/stackgan_options.h"

namespace lvtext {

/// What the stages have in common: data, losses and updates (Zhang et al. 2017; Spinks and Moens
/// 2018). With the logits r of real images and their conditions, w of real images and the next
/// example's condition, f of generated images, s(x) = ln(1 + e^x) and means over the batch:
///
///   L_D = s(-r) + (s(w) + s(f)) / 2,   L_G = s(-f) + kl_weight KL
///
/// and in a second stage, with the logits ru and fu of images alone,
///
///   L_D = (s(-r) + s(-ru)) / 2 + (s(w) + s(f) + s(fu)) / 3,   L_G = s(-f) + s(-fu) + kl_weight KL.
///
/// A wrong pair of two equal examples is skipped; without any wrong pair in a batch, the weights of
/// the generated images are those without wrong pairs. Right and wrong pairs share one pass of the
/// images through the discriminator. "ranked" is the share of wrong pairs whose logit is below that
/// of the right pair with the same image: what the discriminator learned of conditions, and the
/// validation objective; without wrong pairs, the generator's loss is.
class ImageGan : public Trainable, public ImageGenerator, public ImageScorer {
 public:
  std::vector<ParamGroup> groups() override;
  std::vector<Phase> phases() const override;
  std::vector<StreamDecl> streams() const override;
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  std::string micro_batch_problem() const override;
  int64_t min_batch_size() const override { return 2; }

  int64_t condition_size() const override { return condition_size_; }
  int64_t image_size() const override { return image_.size; }
  at::Tensor draw(const at::Tensor& conditions, const at::Tensor& example_ids,
                  const NoiseKey& key) override;
  at::Tensor drawn_from(const at::Tensor& conditions) override;

  // The discriminator as a critic: the logit of an image and a vector that the generator would be
  // given (not the mean of a conditioning net), with running statistics.
  int64_t scored_condition_size() const override { return condition_size_; }
  int64_t scored_together() const override { return 0; }
  double largest_distance() const override { return std::numeric_limits<double>::infinity(); }
  at::Tensor score_images(const at::Tensor& images, const at::Tensor& conditions) override;

  /// Logits of pairs of images [B, C, S, S] in -1..1 and conditions, [B]; for tests.
  at::Tensor judge(const at::Tensor& images, const at::Tensor& conditions,
                   BatchNormMode mode) const;

 protected:
  /// `conditioning` null: the generator has none.
  ImageGan(const GanOptions& options, const ConditioningOptions* conditioning,
           const ModelInputs& inputs, bool judges_images);
  /// Images from a generator's noise [B, noise] and conditioning vectors [B, E]; `key` for what
  /// else is drawn.
  virtual at::Tensor generated(const at::Tensor& conditions, const at::Tensor& noise,
                               const at::Tensor& vectors, const at::Tensor& example_ids,
                               const NoiseKey& key, BatchNormMode mode) const = 0;
  /// Width of the conditioning vectors, E.
  int64_t vector_size() const;
  const ImageShape& image() const { return image_; }
  /// The generator's modules, for its group of parameters.
  std::vector<std::shared_ptr<torch::nn::Module>> generator_;

 private:
  at::Tensor fakes(const at::Tensor& conditions, const at::Tensor& example_ids, const NoiseKey& key,
                   BatchNormMode mode) const;
  /// What the discriminator is given of the conditions.
  at::Tensor judged(const at::Tensor& conditions) const;
  /// 1 for examples whose pair with the next example's condition is wrong, [B].
  at::Tensor wrong(const Batch& batch) const;
  at::Tensor adversarial(const at::Tensor& logits) const;

  GanOptions options_;
  std::optional<ConditioningOptions> conditioning_options_;
  bool judges_images_;
  int64_t condition_size_ = 0;
  ImageShape image_;
  std::shared_ptr<Conditioning> conditioning_;  ///< null without
  std::shared_ptr<Discriminator> discriminator_;
};

/// Images of one stage from vectors of captions, which the generator gets unchanged (Spinks and
/// Moens 2018, section 3.2).
class TtiGan : public ImageGan {
 public:
  static constexpr int kRevision = 1;
  static Node training();
  TtiGan(const GanOptions& options, const ModelInputs& inputs);

 protected:
  TtiGan(const GanOptions& options, const ConditioningOptions* conditioning,
         const ModelInputs& inputs);
  at::Tensor generated(const at::Tensor& conditions, const at::Tensor& noise,
                       const at::Tensor& vectors, const at::Tensor& example_ids,
                       const NoiseKey& key, BatchNormMode mode) const override;

 private:
  std::shared_ptr<FirstGenerator> network_;
};

/// The same with a conditioning net: stage I of the StackGAN (Zhang et al. 2017, section 3.3).
class StackGanOne : public TtiGan {
 public:
  static constexpr int kRevision = 1;
  StackGanOne(const StageOneOptions& options, const ModelInputs& inputs)
      : TtiGan(options, &options.conditioning, inputs) {}
};

/// Refines and enlarges the images of a frozen first stage (Zhang et al. 2017, section 3.4), with a
/// conditioning net of its own. The first stage draws as in draw(), with running statistics.
class StackGanTwo : public ImageGan {
 public:
  static constexpr int kRevision = 1;
  static Node training();
  static std::vector<InputDecl> inputs(const StageTwoOptions&);
  StackGanTwo(const StageTwoOptions& options, const ModelInputs& inputs);
  std::vector<std::shared_ptr<torch::nn::Module>> frozen() const override { return {stage_one_}; }

 protected:
  at::Tensor generated(const at::Tensor& conditions, const at::Tensor& noise,
                       const at::Tensor& vectors, const at::Tensor& example_ids,
                       const NoiseKey& key, BatchNormMode mode) const override;

 private:
  std::shared_ptr<Model> stage_one_;
  ImageGenerator& first_;
  std::shared_ptr<SecondGenerator> network_;
};

}  // namespace lvtext
