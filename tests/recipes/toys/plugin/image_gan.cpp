// A small two-stage GAN that generates images from captions (StackGAN, Zhang et al. 2017).
#include <ATen/ATen.h>

#include "framework/core/model/model_inputs.h"
#include "framework/core/model/plugin.h"
#include "framework/core/nn/linear.h"
#include "framework/core/nn/module_scope.h"

namespace toys {

using namespace lvtext;

struct ImageGanOptions {
  int64_t hidden = 16;
  int64_t noise = 4;

  template <class V>
  void visit(V& v) {
    v.field("hidden", hidden, "units of generator and discriminator", in_range(1, 65536));
    v.field("noise", noise, "number of normal random numbers per image", in_range(1, 65536));
  }
};

/// Base of both stages: the losses, an image and its caption's embedding as data, the
/// discriminator. A stage implements the generator.
class ImageGan : public Trainable, public ImageGenerator {
 public:
  static constexpr int64_t kSize = 8, kPixels = kSize * kSize;

  std::vector<ParamGroup> groups() override {
    return {group("generator", {generator_in_, generator_out_}),
            group("discriminator", {judge_in_, judge_out_})};
  }
  std::vector<Phase> phases() const override {
    const auto term = [](const char* name, double weight) {
      return LossTerm{.name = name, .weight = weight, .select_weight = 0};
    };
    return {{.name = "disc",
             .updates = {{"disc", {"discriminator"}}},
             .draws = {{"train", Draw::kNext}},
             .terms = {term("real", 1), term("wrong", 0.5), term("fake", 0.5)}},
            {.name = "gen",
             .updates = {{"gen", {"generator"}}},
             .draws = {{"train", Draw::kSame}},
             .terms = {term("adv", 0.1), {.name = "pixels", .weight = 1}}}};
  }
  std::vector<StreamDecl> streams() const override {
    return {{.fields = {{"image", ColumnKind::kImage}, {"embedding", ColumnKind::kVector}}}};
  }

  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override {
    const at::Tensor& condition = batches[0].field("embedding");
    // Both phases use the same images; the second one uses the updated discriminator.
    const at::Tensor fake = context.shared("fake", {"generator"}, [&] {
      return drawn(condition, batches[0].example_ids, context.noise("image"));
    });
    const at::Tensor real = batches[0].field("image").to(condition.scalar_type()) / 255;
    const auto loss = [&](double sign, const at::Tensor& image, const at::Tensor& text) {
      const at::Tensor seen =
          at::leaky_relu(judge_in_->forward(at::cat({image.flatten(1), text}, 1)), 0.2);
      return at::softplus(judge_out_->forward(seen).sum(1) * -sign).sum();
    };
    if (phase.name == "gen") {
      return {loss(1, fake, condition), (fake - real).square().sum()};
    }
    return {loss(1, real, condition), loss(-1, real, at::roll(condition, 1, 0)),
            loss(-1, fake.detach(), condition)};
  }

  int64_t condition_size() const override { return condition_size_; }
  int64_t image_size() const override { return kSize; }
  at::Tensor draw(const at::Tensor& conditions, const at::Tensor& example_ids,
                  const NoiseKey& key) override {
    const at::NoGradGuard no_grad;
    return 2 * drawn(conditions, example_ids, key) - 1;
  }

 protected:
  ImageGan(const ImageGanOptions& options, const ModelInputs& inputs, int64_t seen)
      : noise_(options.noise) {
    const ColumnDecl* embedding = inputs.find("train", "embedding");
    if (!embedding) throw MissingField("the data have no column 'embedding'");
    const int64_t width = condition_size_ = embedding->width();
    const ModuleScope scope(*this, {inputs.seed});
    generator_in_ = scope.add<Linear>("generator_in", width + noise_ + seen, options.hidden);
    generator_out_ = scope.add<Linear>("generator_out", options.hidden, kPixels);
    judge_in_ = scope.add<Linear>("judge_in", kPixels + width, options.hidden);
    judge_out_ = scope.add<Linear>("judge_out", options.hidden, 1);
  }

  /// Images for the generator's inputs other than noise, [B, 1, 8, 8].
  at::Tensor generated(const at::Tensor& seen, const at::Tensor& example_ids,
                       const NoiseKey& key) const {
    const at::Tensor noise = normal(key, example_ids, {noise_}, seen.options());
    const at::Tensor hidden = at::relu(generator_in_->forward(at::cat({seen, noise}, 1)));
    return at::sigmoid(generator_out_->forward(hidden)).view({-1, 1, kSize, kSize});
  }
  virtual at::Tensor drawn(const at::Tensor& conditions, const at::Tensor& example_ids,
                           const NoiseKey& key) const = 0;

 private:
  int64_t noise_, condition_size_ = 0;
  std::shared_ptr<Linear> generator_in_, generator_out_, judge_in_, judge_out_;
};

/// Generates an image from the embedding of a caption.
class StageOne : public ImageGan {
 public:
  static constexpr int kRevision = 1;
  StageOne(const ImageGanOptions& options, const ModelInputs& inputs)
      : ImageGan(options, inputs, 0) {}

 private:
  at::Tensor drawn(const at::Tensor& conditions, const at::Tensor& example_ids,
                   const NoiseKey& key) const override {
    return generated(conditions, example_ids, key);
  }
};

/// Generates an image from the embedding and the image of a frozen first stage.
class StageTwo : public ImageGan {
 public:
  static constexpr int kRevision = 1;
  static std::vector<InputDecl> inputs(const ImageGanOptions&) {
    return {{.name = "stage_one", .help = "frozen first stage", .type = ArtifactType::kModel}};
  }
  StageTwo(const ImageGanOptions& options, const ModelInputs& inputs)
      : ImageGan(options, inputs, kPixels),
        stage_one_(inputs.models.at("stage_one").model),
        draws_(inputs.serve<ImageGenerator>("stage_one")) {}

  std::vector<std::shared_ptr<torch::nn::Module>> frozen() const override { return {stage_one_}; }

 private:
  at::Tensor drawn(const at::Tensor& conditions, const at::Tensor& example_ids,
                   const NoiseKey& key) const override {
    const at::Tensor small = (draws_.draw(conditions, example_ids, key).flatten(1) + 1) / 2;
    return generated(at::cat({small, conditions}, 1), example_ids, key);
  }

  std::shared_ptr<Model> stage_one_;
  ImageGenerator& draws_;
};

void add_image_gan(Registries& registries) {
  const PaperSource source = {"Zhang et al. 2017", "https://arxiv.org/abs/1612.03242"};
  add_model<StageOne, ImageGanOptions>(registries, "toy_stage_one",
                                       "Images from the embeddings of captions", source);
  add_model<StageTwo, ImageGanOptions>(registries, "toy_stage_two",
                                       "A second stage that refines a frozen first one's images",
                                       source);
}

}  // namespace toys
