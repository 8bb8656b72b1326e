#include "models/stackgan/stackgan.h"

#include <utility>

#include "framework/core/model/registration.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/options/yaml.h"
#include "framework/core/tensor/shape.h"
#include "losses/adversarial.h"
#include "losses/kl.h"

namespace lvtext {
namespace {

/// The image field of the data.
ImageShape image_of(const ModelInputs& inputs) {
  const auto& shape = inputs.field("train", "image", ColumnKind::kImage).shape;
  if (shape.size() != 3 || shape[1] != shape[2]) {
    throw ConfigError("the images of the column 'image' are not square");
  }
  return {shape[0], shape[1]};
}

/// Bytes as values from -1 to 1.
at::Tensor values_of(const at::Tensor& images, at::ScalarType type) {
  return images.to(type) / 127.5 - 1;
}

/// The key of what a first stage draws.
NoiseKey first_stage(NoiseKey key) {
  key.use = noise_use("stackgan.first_stage") ^ key.use;
  return key;
}

}  // namespace

ImageGan::ImageGan(const GanOptions& options, const ConditioningOptions* conditioning,
                   const ModelInputs& inputs, bool judges_images)
    : options_(options), judges_images_(judges_images), image_(image_of(inputs)) {
  if (conditioning) conditioning_options_ = *conditioning;
  condition_size_ = inputs.field("train", options.condition, ColumnKind::kVector).width();
  if (!options.equal_by.empty()) inputs.field("train", options.equal_by, ColumnKind::kVector);
  const ModuleScope scope(*this, {inputs.seed});
  bool judges_means = false;
  if (conditioning) {
    conditioning_ = scope.add<Conditioning>("conditioning", condition_size_, *conditioning);
    generator_.push_back(conditioning_);
    judges_means = conditioning->judges.effective() == JudgedCondition::kMean;
  }
  discriminator_ = scope.add<Discriminator>(
      "discriminator",
      DiscriminatorLayout{.condition = judges_means ? conditioning->size : condition_size_,
                          .has_own_layer = !judges_means,
                          .judged = options.judged,
                          .width = options.discriminator,
                          .normalizes_joint = options.joint_norm.effective() == JointNorm::kBatch,
                          .judges_images = judges_images},
      image_);
}

int64_t ImageGan::vector_size() const {
  return conditioning_ ? conditioning_options_->size : condition_size_;
}

std::vector<ParamGroup> ImageGan::groups() {
  return {group("generator", generator_), group("discriminator", {discriminator_})};
}

std::vector<Phase> ImageGan::phases() const {
  const auto term = [](const char* name, double weight, double select_weight = 0) {
    return LossTerm{.name = name,
                    .weight = weight,
                    .select_weight = select_weight,
                    .micro_batchable = false,
                    .reason = "batch normalization uses statistics of the whole batch"};
  };
  const bool has_wrong = options_.wrong_pairs.effective();
  const double right = judges_images_ ? 0.5 : 1;
  const double refused = 1.0 / ((has_wrong ? 1 : 0) + (judges_images_ ? 2 : 1));
  Phase disc{.name = "disc",
             .updates = {{"discriminator", {"discriminator"}}},
             .draws = {{"train", Draw::kNext}},
             .terms = {term("right", right), term("fake", refused)}};
  Phase gen{.name = "gen",
            .updates = {{"generator", {"generator"}}},
            .draws = {{"train", Draw::kSame}},
            .terms = {term("adv", 1, has_wrong ? 0 : 1)}};
  if (has_wrong) {
    disc.terms.push_back(term("wrong", refused));
    disc.terms.push_back(term("ranked", 0, -1));
  }
  if (judges_images_) {
    disc.terms.push_back(term("right_image", right));
    disc.terms.push_back(term("fake_image", refused));
    gen.terms.push_back(term("adv_image", 1));
  }
  if (conditioning_) {
    gen.terms.push_back(
        {.name = "kl", .weight = conditioning_options_->kl_weight.effective(), .select_weight = 0});
  }
  return {std::move(disc), std::move(gen)};
}

std::vector<StreamDecl> ImageGan::streams() const {
  std::vector<FieldDecl> fields = {{"image", ColumnKind::kImage},
                                   {options_.condition, ColumnKind::kVector}};
  if (!options_.equal_by.empty() && options_.equal_by != options_.condition) {
    fields.push_back({options_.equal_by, ColumnKind::kVector});
  }
  return {{.fields = std::move(fields), .order = Order::kRandom}};
}

std::string ImageGan::micro_batch_problem() const {
  return "batch normalization uses statistics of the whole batch";
}

at::Tensor ImageGan::judged(const at::Tensor& conditions) const {
  const bool by_mean =
      conditioning_ && conditioning_options_->judges.effective() == JudgedCondition::kMean;
  return by_mean ? conditioning_->forward(conditions).mean.detach() : conditions;
}

at::Tensor ImageGan::judge(const at::Tensor& images, const at::Tensor& conditions,
                           BatchNormMode mode) const {
  return discriminator_->judge_pairs(discriminator_->see(images, mode), judged(conditions), mode);
}

at::Tensor ImageGan::fakes(const at::Tensor& conditions, const at::Tensor& example_ids,
                           const NoiseKey& key, BatchNormMode mode) const {
  const int64_t more = conditioning_ ? conditioning_options_->size : 0;
  const at::Tensor drawn = normal(key, example_ids, {options_.noise + more}, conditions.options());
  at::Tensor vectors = conditions;
  if (conditioning_) {
    const auto [mean, log_variance] = conditioning_->forward(conditions);
    vectors = reparameterize(mean, log_variance, drawn.narrow(1, options_.noise, more));
  }
  return generated(conditions, drawn.narrow(1, 0, options_.noise), vectors, example_ids, key, mode);
}

at::Tensor ImageGan::wrong(const Batch& batch) const {
  if (batch.rows() < 2) return at::zeros({batch.rows()}, batch.field(options_.condition).options());
  const std::string& column = options_.equal_by.empty() ? options_.condition : options_.equal_by;
  const at::Tensor& of = batch.field(column);
  return (of != at::roll(of, -1, 0)).any(1).to(batch.field(options_.condition).scalar_type());
}

at::Tensor ImageGan::adversarial(const at::Tensor& logits) const {
  return options_.saturating.effective() ? -at::softplus(logits).sum() : non_saturating_sum(logits);
}

Sums ImageGan::losses(const Phase& phase, const Batches& batches, StepContext& context) {
  const Batch& batch = batches[0];
  const at::Tensor conditions =
      batch.field(options_.condition).to(discriminator_->parameters().front().scalar_type());
  const BatchNormMode mode = context.batch_norm();
  const auto drawn = [&](const char* use) {
    return fakes(conditions, batch.example_ids, context.noise(use), mode);
  };
  const auto of_step = [&] {
    return context.shared("fake", {"generator"}, [&] { return drawn("image"); });
  };
  if (phase.name == "gen") {
    const bool is_fresh = options_.fakes.effective() == FakeImages::kFresh;
    const at::Tensor seen = discriminator_->see(is_fresh ? drawn("fresh") : of_step(), mode);
    Sums sums = {adversarial(discriminator_->judge_pairs(seen, judged(conditions), mode))};
    if (judges_images_) sums.push_back(adversarial(discriminator_->judge_images(seen)));
    if (conditioning_) {
      const auto [mean, log_variance] = conditioning_->forward(conditions);
      const bool is_mean = conditioning_options_->kl_reduction.effective() == KlReduction::kMean;
      const auto size = static_cast<double>(is_mean ? conditioning_options_->size : 1);
      sums.push_back(gaussian_kl(mean, log_variance).sum() / size);
    }
    return sums;
  }
  const at::Tensor fake = of_step().detach();
  const at::Tensor real = values_of(batch.field("image"), conditions.scalar_type());
  const at::Tensor seen = discriminator_->see(real, mode);
  const at::Tensor of_batch = judged(conditions).detach();
  const at::Tensor right = discriminator_->judge_pairs(seen, of_batch, mode);
  const at::Tensor seen_fake = discriminator_->see(fake, mode);
  at::Tensor refused = at::softplus(discriminator_->judge_pairs(seen_fake, of_batch, mode)).sum();
  at::Tensor refused_images;
  if (judges_images_) refused_images = at::softplus(discriminator_->judge_images(seen_fake)).sum();
  Sums sums = {non_saturating_sum(right)};
  at::Tensor wrong_sum, ranked;
  if (options_.wrong_pairs.effective()) {
    const at::Tensor is_wrong = wrong(batch);
    const at::Tensor other = discriminator_->judge_pairs(seen, at::roll(of_batch, -1, 0), mode);
    const at::Tensor count = is_wrong.sum();
    const auto rows = static_cast<double>(batch.rows());
    // The mean over the wrong pairs, as a sum over the batch; 0 without any.
    const at::Tensor scale = at::where(count > 0, rows / count.clamp_min(1), at::zeros_like(count));
    wrong_sum = (at::softplus(other) * is_wrong).sum() * scale;
    ranked = ((right > other).to(is_wrong.scalar_type()) * is_wrong).sum() * scale;
    const double terms = judges_images_ ? 2 : 1;
    const at::Tensor without =
        at::where(count > 0, at::ones_like(count), at::full_like(count, (terms + 1) / terms));
    refused = refused * without;
    if (judges_images_) refused_images = refused_images * without;
  }
  sums.push_back(refused);
  if (options_.wrong_pairs.effective()) {
    sums.push_back(wrong_sum);
    sums.push_back(ranked);
  }
  if (judges_images_) {
    sums.push_back(non_saturating_sum(discriminator_->judge_images(seen)));
    sums.push_back(refused_images);
  }
  return sums;
}

at::Tensor ImageGan::draw(const at::Tensor& conditions, const at::Tensor& example_ids,
                          const NoiseKey& key) {
  const at::NoGradGuard no_grad;
  return fakes(conditions, example_ids, key, BatchNormMode::kRunning);
}

at::Tensor ImageGan::drawn_from(const at::Tensor& conditions) {
  const at::NoGradGuard no_grad;
  return conditioning_ ? conditioning_->forward(conditions).mean : conditions;
}

at::Tensor ImageGan::score_images(const at::Tensor& images, const at::Tensor& conditions) {
  LVT_CHECK_SHAPE(conditions, {-1, images.size(0), condition_size_});
  const at::NoGradGuard no_grad;
  const at::Tensor weight = discriminator_->parameters().front();
  const at::Tensor seen = discriminator_->see(
      values_of(images.to(weight.device()), weight.scalar_type()), BatchNormMode::kRunning);
  std::vector<at::Tensor> scores;
  for (const at::Tensor& each : conditions.to(weight).unbind()) {
    scores.push_back(discriminator_->judge_pairs(seen, judged(each), BatchNormMode::kRunning));
  }
  return at::stack(scores);
}

Node TtiGan::training() {
  return parse_yaml_or_throw(
      "{batch: {size: 64}, stop: 120e, optimizers: {default: {type: adam, lr: 2e-4, "
      "betas: [0.5, 0.999], schedule: {type: step, factor: 0.5, every: 20e}}}}",
      "training");
}

TtiGan::TtiGan(const GanOptions& options, const ModelInputs& inputs)
    : TtiGan(options, nullptr, inputs) {}

TtiGan::TtiGan(const GanOptions& options, const ConditioningOptions* conditioning,
               const ModelInputs& inputs)
    : ImageGan(options, conditioning, inputs, /*judges_images=*/false) {
  network_ = ModuleScope(*this, {inputs.seed})
                 .add<FirstGenerator>("generator", options.noise + vector_size(), options.generator,
                                      image());
  generator_.push_back(network_);
}

at::Tensor TtiGan::generated(const at::Tensor&, const at::Tensor& noise, const at::Tensor& vectors,
                             const at::Tensor&, const NoiseKey&, BatchNormMode mode) const {
  return network_->forward(at::cat({noise, vectors}, 1), mode);
}

Node StackGanTwo::training() {
  return merge(TtiGan::training(), parse_yaml_or_throw("{batch: {size: 40}}", "training"));
}

std::vector<InputDecl> StackGanTwo::inputs(const StageTwoOptions&) {
  return {{.name = "stage_one",
           .help = "frozen first stage",
           .type = ArtifactType::kModel,
           .capabilities = {ImageGenerator::kName}}};
}

StackGanTwo::StackGanTwo(const StageTwoOptions& options, const ModelInputs& inputs)
    : ImageGan(options, &options.conditioning, inputs, /*judges_images=*/true),
      stage_one_(inputs.models.at("stage_one").model),
      first_(inputs.serve<ImageGenerator>("stage_one")) {
  if (first_.condition_size() != condition_size()) {
    throw ConfigError("the first stage draws from vectors of " +
                      std::to_string(first_.condition_size()) + " numbers, and '" +
                      options.condition + "' has " + std::to_string(condition_size()));
  }
  network_ = ModuleScope(*this, {inputs.seed})
                 .add<SecondGenerator>("generator", vector_size(), options.generator,
                                       options.residual_blocks, first_.image_size(), image());
  generator_.push_back(network_);
}

at::Tensor StackGanTwo::generated(const at::Tensor& conditions, const at::Tensor&,
                                  const at::Tensor& vectors, const at::Tensor& example_ids,
                                  const NoiseKey& key, BatchNormMode mode) const {
  return network_->forward(first_.draw(conditions, example_ids, first_stage(key)), vectors, mode);
}

void register_stackgan(Registries& registries) {
  const PaperSource stackgan = {"Zhang et al. 2017", "https://arxiv.org/abs/1612.03242"};
  add_model<TtiGan, GanOptions>(registries, "tti_gan",
                                "Images of one stage from vectors of captions",
                                {"Spinks and Moens 2018", "https://aclanthology.org/W18-5405"});
  add_model<StackGanOne, StageOneOptions>(
      registries, "stackgan_one", "Images from vectors of captions, with a conditioning net",
      stackgan);
  add_model<StackGanTwo, StageTwoOptions>(registries, "stackgan_two",
                                          "Refines and enlarges the images of a frozen first stage",
                                          stackgan);
}

}  // namespace lvtext
