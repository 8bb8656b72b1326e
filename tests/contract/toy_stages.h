// A small StackGAN: the second stage refines the images of a frozen first stage. Also a critic that
// is trained on the finished generator until its stop condition holds.
#pragma once

#include "framework/core/nn/batch_norm.h"
#include "tests/contract/toy_parts.h"

namespace lvtext::testing {

/// Condition [B, 4] to image [B, 1, 4, 4], with batch normalization.
struct ToyStageOne : torch::nn::Module {
  explicit ToyStageOne(uint64_t seed)
      : weight(register_parameter("weight", toy_weight(seed, "stage_one", {16, 4}, at::kDouble))),
        norm(register_module("norm", std::make_shared<BatchNorm>(Init{}, 16))) {
    norm->to(at::kDouble);
  }
  at::Tensor forward(const at::Tensor& condition, BatchNormMode mode) {
    return at::tanh(norm->forward(at::matmul(condition, weight.t()), mode)).view({-1, 1, 4, 4});
  }
  at::Tensor weight;
  std::shared_ptr<BatchNorm> norm;
};

class ToyStageTwo : public Trainable {
 public:
  explicit ToyStageTwo(uint64_t seed) : stage_one_(std::make_shared<ToyStageOne>(17)) {
    const auto weight = [&](const std::string& name, at::IntArrayRef shape) {
      return register_parameter(name, toy_weight(seed, name, shape, at::kDouble));
    };
    mean_ = weight("mean", {4, 4});
    log_variance_ = weight("log_variance", {4, 4});
    refine_ = weight("refine", {16, 20});
    image_ = weight("image", {4, 16});
    norm_ = register_module("norm", std::make_shared<BatchNorm>(Init{}, 4));
    norm_->to(at::kDouble);
  }

  std::vector<ParamGroup> groups() override {
    ParamGroup judge = group("discriminator", {norm_});
    judge.params.emplace_back("image", image_);
    return {{.name = "generator",
             .params = {{"mean", mean_}, {"log_variance", log_variance_}, {"refine", refine_}}},
            judge};
  }

  std::vector<Phase> phases() const override {
    const auto term = [](const char* name, double weight) {
      return LossTerm{.name = name,
                      .weight = weight,
                      .select_weight = 0,
                      .micro_batchable = false,
                      .reason = "the discriminator normalizes over the batch"};
    };
    return {{.name = "disc",
             .updates = {{"disc", {"discriminator"}}},
             .draws = {{"train", Draw::kNext}},
             .terms = {term("real", 1), term("wrong", 0.5), term("fake", 0.5)}},
            {.name = "gen",
             .updates = {{"gen", {"generator"}}},
             .draws = {{"train", Draw::kSame}},
             .terms = {term("adv", 1), {.name = "kl", .weight = 0.05}}}};
  }
  std::vector<StreamDecl> streams() const override {
    return {{.fields = {{"image", ColumnKind::kImage}, {"condition", ColumnKind::kVector}}}};
  }
  std::vector<std::shared_ptr<torch::nn::Module>> frozen() const override { return {stage_one_}; }

  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override {
    const at::Tensor& condition = batches[0].field("condition");
    const at::Tensor mean = at::matmul(condition, mean_.t());
    const at::Tensor log_variance = at::matmul(condition, log_variance_.t());
    // The same fakes for both phases; the second phase uses the updated discriminator.
    const at::Tensor fake = context.shared("fake", {"generator"}, [&] {
      const at::Tensor noise =
          normal(context.noise("condition"), batches[0].example_ids, {4}, mean.options());
      const at::Tensor drawn = mean + (log_variance / 2).exp() * noise;
      const at::Tensor small = stage_one_->forward(condition, BatchNormMode::kRunning).flatten(1);
      return at::tanh(at::matmul(at::cat({small, drawn}, 1), refine_.t())).view({-1, 1, 4, 4});
    });
    const auto loss = [&](double sign, const at::Tensor& image, const at::Tensor& text) {
      const at::Tensor joint = at::matmul(image.flatten(1), image_.t()) * text;
      return at::softplus(norm_->forward(joint, context.batch_norm()).sum(1) * -sign).sum();
    };
    if (phase.name == "gen") {
      const at::Tensor kl = 0.5 * (mean.square() + log_variance.exp() - 1 - log_variance).sum();
      return {loss(1, fake, condition), kl};
    }
    const at::Tensor real = toy_pixels(batches[0].field("image"));
    return {loss(1, real, condition), loss(-1, real, at::roll(condition, 1, 0)),
            loss(-1, fake.detach(), condition)};
  }

 private:
  std::shared_ptr<ToyStageOne> stage_one_;
  std::shared_ptr<BatchNorm> norm_;
  at::Tensor mean_, log_variance_, refine_, image_;
};

}  // namespace lvtext::testing
