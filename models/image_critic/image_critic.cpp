#include "models/image_critic/image_critic.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/model/registration.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {
namespace {

constexpr const char* kReal = "train";  // stream of the real images, whose passes are epochs
constexpr double kCriticDeviation = 0.02;
constexpr double kNegativeSlope = 0.2;
constexpr int64_t kSide = 4;    // of the last feature map
constexpr int64_t kKernel = 4;  // of the convolutions that halve the side

}  // namespace

ImageCritic::ImageCritic(const ImageCriticOptions& options, const ModelInputs& inputs)
    : options_(options) {
  const auto shape = inputs.field(kReal, options.image, ColumnKind::kImage).shape;
  const auto other = inputs.field("generated", options.image, ColumnKind::kImage).shape;
  const auto text = [](const std::vector<int64_t>& of) {
    return std::to_string(of[0]) + "x" + std::to_string(of[1]) + "x" + std::to_string(of[2]);
  };
  if (shape != other) {
    throw ConfigError("image_critic: the real images have the shape " + text(shape) +
                      " and the generated ones " + text(other) + "; both must be equal");
  }
  int64_t side = shape[1];
  while (side > kSide && side % 2 == 0) side /= 2;
  if (shape[1] != shape[2] || side != kSide || shape[1] == kSide) {
    throw ConfigError("image_critic: images have the shape " + text(shape) +
                      "; their sides must be equal and 8, 16, 32, 64, ... pixels");
  }
  const ModuleScope scope(*this, {inputs.seed});
  image_channels_ = shape[0];
  int64_t in = shape[0];
  channels_ = options.width;
  for (int64_t size = shape[1]; size > kSide; size /= 2) {
    const std::string name = "block" + std::to_string(blocks_.size() + 1);
    const ModuleScope block = scope.child(name);
    Block& added = blocks_.emplace_back();
    if (blocks_.size() > 1) channels_ *= 2;
    added.convolution = block.add<Conv2d>("convolution", ConvLayout{.in = in,
                                                                    .out = channels_,
                                                                    .kernel = kKernel,
                                                                    .stride = 2,
                                                                    .padding = 1,
                                                                    .deviation = kCriticDeviation});
    if (blocks_.size() > 1) added.norm = block.add<BatchNorm>("norm", channels_);
    in = channels_;
  }
  if (options.condition) {
    condition_size_ = inputs.field(kReal, *options.condition, ColumnKind::kVector).width();
    const int64_t other_size =
        inputs.field("generated", *options.condition, ColumnKind::kVector).width();
    if (other_size != condition_size_) {
      throw ConfigError("image_critic: the conditions of the real images have " +
                        std::to_string(condition_size_) + " dimensions and those of the " +
                        "generated ones " + std::to_string(other_size));
    }
    to_condition_ = scope.add<Linear>("to_condition", condition_size_, options.condition_width,
                                      kCriticDeviation);
    const ModuleScope joint = scope.child("joint");
    joint_.convolution =
        joint.add<Conv2d>("convolution", ConvLayout{.in = channels_ + options.condition_width,
                                                    .out = channels_,
                                                    .kernel = 1,
                                                    .deviation = kCriticDeviation});
    joint_.norm = joint.add<BatchNorm>("norm", channels_);
  }
  output_ = scope.add<Conv2d>(
      "output",
      ConvLayout{.in = channels_, .out = 1, .kernel = kSide, .deviation = kCriticDeviation});
  batch_ = scope.buffer("batch", at::zeros({}));
  const at::NoGradGuard no_grad;
  for (at::Tensor& parameter : parameters()) parameter.clamp_(-options.clamp, options.clamp);
}

std::vector<ParamGroup> ImageCritic::groups() {
  ParamGroup critic{.name = "critic", .project = {Constraint::kClamp, options_.clamp}};
  for (const auto& each : named_parameters()) critic.params.emplace_back(each.key(), each.value());
  return {critic};
}

std::vector<Phase> ImageCritic::phases() const {
  return {{.name = "critic",
           .updates = {{"default", {"critic"}}},
           .draws = {{kReal, Draw::kNext}, {"generated", Draw::kNext}},
           .terms = {{.name = "distance",
                      .weight = -1,
                      .select_weight = -1,
                      .micro_batchable = false,
                      .reason = micro_batch_problem()}},
           .precision = PhasePrecision::kFp32}};
}

std::vector<StreamDecl> ImageCritic::streams() const {
  std::vector<FieldDecl> fields = {{options_.image, ColumnKind::kImage}};
  if (options_.condition) fields.push_back({*options_.condition, ColumnKind::kVector});
  return {{.name = kReal, .fields = fields, .order = Order::kRandom},
          {.name = "generated", .fields = fields, .order = Order::kRandom}};
}

std::string ImageCritic::micro_batch_problem() const {
  return "the critic normalizes over the batch";
}

Sums ImageCritic::losses(const Phase&, const Batches& batches, StepContext& context) {
  const at::Tensor real = scored(batches[0]), generated = scored(batches[1]);
  if (context.training()) {
    const at::NoGradGuard no_grad;
    batch_.clamp_min_(static_cast<double>(real.size(0)));
  }
  // The mean over generated images, whose number may differ, for each real one.
  return {real.sum() - generated.mean() * real.size(0)};
}

std::optional<std::string> ImageCritic::stop_reason(const TrainerState& state) const {
  std::optional<double> best;
  int64_t since = 0;
  std::vector<double> last;
  for (const Evaluation& evaluation : state.evaluations) {
    last.push_back(evaluation.terms.at("critic/distance"));
    if (std::ssize(last) > options_.smoothing) last.erase(last.begin());
    double smooth = 0;
    for (const double distance : last) smooth += distance / static_cast<double>(last.size());
    const bool has_risen = !best || smooth > *best + options_.min_gain * std::abs(*best);
    since = has_risen ? 0 : since + 1;
    if (has_risen) best = smooth;
  }
  if (since < options_.patience) return std::nullopt;
  return "plateau";
}

Node ImageCritic::training() {
  const auto value = [](const char* text) { return Node::scalar(text); };
  const Node optimizer = Node::mapping({{"type", value("rmsprop"), {}}, {"lr", value("5e-5"), {}}});
  return Node::mapping(
      {{"stop", value("3000u"), {}},
       {"validate_every", value("50u"), {}},
       {"select_checkpoint", value("last"), {}},
       {"batch", Node::mapping({{"size", value("64"), {}}, {"drop_last", value("true"), {}}}), {}},
       {"optimizers", Node::mapping({{"default", optimizer, {}}}), {}}});
}

int64_t ImageCritic::scored_together() const {
  return static_cast<int64_t>(batch_.item<double>());
}

double ImageCritic::largest_distance() const {
  const bool is_normalized = condition_size_ > 0 || blocks_.size() > 1;
  const int64_t input = is_normalized ? 1 : kKernel * kKernel * image_channels_;
  return 2 * options_.clamp * options_.clamp *
         static_cast<double>(kSide * kSide * channels_ * input);
}

at::Tensor ImageCritic::score_images(const at::Tensor& images, const at::Tensor& conditions) {
  const at::NoGradGuard no_grad;
  const at::Device device = batch_.device();
  const at::Tensor maps = features(images.to(device));
  if (condition_size_ == 0) return scored(maps, {}).unsqueeze(0);
  LVT_CHECK_SHAPE(conditions, {-1, images.size(0), condition_size_});
  const int64_t kinds = conditions.size(0);
  return scored(maps.repeat({kinds, 1, 1, 1}), conditions.to(device).flatten(0, 1))
      .view({kinds, images.size(0)});
}

at::Tensor ImageCritic::image_features(const at::Tensor& images) {
  const at::NoGradGuard no_grad;
  return features(images.to(batch_.device())).mean({2, 3});
}

at::Tensor ImageCritic::features(const at::Tensor& images) const {
  at::Tensor x = images.to(batch_.scalar_type()) / 127.5 - 1;
  for (const Block& block : blocks_) {
    x = block.convolution->forward(x);
    if (block.norm) x = block.norm->forward(x, BatchNormMode::kBatchOnly);
    x = at::leaky_relu(x, kNegativeSlope);
  }
  return x;
}

at::Tensor ImageCritic::scored(const at::Tensor& features, const at::Tensor& conditions) const {
  at::Tensor x = features;
  if (to_condition_) {
    const at::Tensor condition =
        at::leaky_relu(to_condition_->forward(conditions.to(x.scalar_type())), kNegativeSlope);
    x = at::cat(
        {x, condition.view({-1, options_.condition_width, 1, 1}).expand({-1, -1, kSide, kSide})},
        1);
    x = joint_.norm->forward(joint_.convolution->forward(x), BatchNormMode::kBatchOnly);
    x = at::leaky_relu(x, kNegativeSlope);
  }
  return output_->forward(x).flatten();
}

at::Tensor ImageCritic::scored(const Batch& batch) const {
  return scored(features(batch.field(options_.image)),
                options_.condition ? batch.field(*options_.condition) : at::Tensor());
}

void register_image_critic(Registries& registries) {
  add_model<ImageCritic, ImageCriticOptions>(
      registries, "image_critic",
      "Critic of images, with or without the conditions that they were drawn from",
      {"Arjovsky, Chintala and Bottou 2017", "https://arxiv.org/abs/1701.07875"});
}

}  // namespace lvtext
