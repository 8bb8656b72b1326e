// Training of critics: the clamp from the first step on, the step of RMSprop.
#include <ATen/ATen.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "models/image_critic/image_critic.h"
#include "tests/catch.h"
#include "tests/contract/toy_parts.h"
#include "tests/text.h"
#include "trainers/trainer.h"

using namespace lvtext;
using namespace lvtext::testing;

namespace {

/// Batches of images that are bright (real) or dark (generated), with a condition.
class LightImages : public DataLoader {
 public:
  LightImages(double light, bool conditions) : light_(light), conditions_(conditions) {}
  int64_t batches(int64_t) const override { return 3; }
  Batch batch(int64_t epoch, int64_t index) const override {
    const NoiseKey key{static_cast<uint64_t>(100 * epoch + index), 0, 0, 7};
    const at::TensorOptions numbers(at::kFloat);
    Batch batch{at::arange(8, at::kLong), {}};
    batch.fields["image"] = (uniform_step(key, {8, 1, 8, 8}, numbers) * 255 * light_).to(at::kByte);
    if (conditions_) batch.fields["embedding"] = normal_step(key, {8, 4}, numbers);
    return batch;
  }

 private:
  double light_;
  bool conditions_;
};

TrainOptions options_of(int64_t updates) {
  TrainOptions options;
  options.device = "cpu";
  options.seed = 3;
  options.stop = {{Period::updates(updates)}};
  OptimizerOptions rmsprop;
  rmsprop.type = OptimizerType::kRmsprop;
  rmsprop.lr = 5e-4;
  options.optimizers = {{"default", rmsprop}};
  return options;
}

DataLoaders light_streams(bool conditions) {
  return {{"train", std::make_shared<LightImages>(1, conditions)},
          {"generated", std::make_shared<LightImages>(0.5, conditions)}};
}

/// f(x) = w x of points with two coordinates, w in [-0.01, 0.01].
class LinearCritic : public Trainable {
 public:
  LinearCritic(double first, double second)
      : w_(register_parameter("w", at::tensor({first, second}, at::kDouble))) {}
  std::vector<ParamGroup> groups() override {
    return {{.name = "critic", .params = {{"w", w_}}, .project = {Constraint::kClamp, 0.01}}};
  }
  std::vector<Phase> phases() const override {
    return {{.name = "critic",
             .updates = {{"default", {"critic"}}},
             .draws = {{"real", Draw::kNext}, {"generated", Draw::kNext}},
             .terms = {{.name = "distance", .weight = -1}}}};
  }
  std::vector<StreamDecl> streams() const override {
    const std::vector<FieldDecl> point = {{"point", ColumnKind::kVector}};
    return {{.name = "real", .fields = point}, {.name = "generated", .fields = point}};
  }
  Sums losses(const Phase&, const Batches& batches, StepContext&) override {
    return {at::matmul(batches[0].field("point") - batches[1].field("point"), w_).sum()};
  }
  at::Tensor w() const { return w_; }

 private:
  at::Tensor w_;
};

/// One batch of two points.
class Points : public DataLoader {
 public:
  explicit Points(const std::vector<double>& numbers)
      : points_(at::tensor(numbers, at::kDouble).view({2, 2})) {}
  int64_t batches(int64_t) const override { return 1; }
  Batch batch(int64_t, int64_t) const override {
    return {at::arange(2, at::kLong), {{"point", points_}}};
  }

 private:
  at::Tensor points_;
};

}  // namespace

TEST_CASE("image_critic: parameters are clamped from the start and after each update",
          "[image_critic]") {
  for (const bool conditions : {false, true}) {
    ImageCriticOptions narrow;
    narrow.width = 4;
    if (conditions) narrow.condition = "embedding";
    const auto critic = std::make_shared<ImageCritic>(narrow, model_inputs(13, 5));
    const auto largest = [&] {
      double all = 0;
      for (const at::Tensor& parameter : critic->parameters()) {
        all = std::max(all, parameter.abs().max().item<double>());
      }
      return all;
    };
    const double bound = static_cast<float>(0.01);
    CHECK(largest() <= bound);
    MemoryHost host;
    const DataLoaders streams = light_streams(conditions);
    Trainer trainer(critic, options_of(60), streams, streams, host);
    const double before = trainer.validate().terms.at("critic/distance");
    for (int step = 0; step < 60; ++step) trainer.step();
    CHECK(largest() <= bound);
    const Evaluation after = trainer.validate();
    CHECK(after.terms.at("critic/distance") > before);
    CHECK(after.objective == -after.terms.at("critic/distance"));
    CHECK(after.terms.at("critic/distance") < critic->largest_distance());
    CHECK(critic->scored_together() == 8);
    for (const auto& buffer : critic->named_buffers()) {
      INFO(buffer.key());
      if (contains(buffer.key(), "running_mean")) {
        CHECK(at::equal(buffer.value(), at::zeros_like(buffer.value())));
      }
    }
  }
}

TEST_CASE("critics: one step of RMSprop and the clamp", "[image_critic]") {
  const DataLoaders streams = {
      {"real", std::make_shared<Points>(std::vector<double>{1, 0, .5, 1})},
      {"generated", std::make_shared<Points>(std::vector<double>{0, 1, -1, .5})}};
  TrainOptions options = options_of(1);
  options.optimizers.at("default").lr = 5e-5;
  for (const auto& [first, after] : {std::pair(.004, .0045), std::pair(.00998, .01)}) {
    const auto critic = std::make_shared<LinearCritic>(first, -.008);
    MemoryHost host;
    Trainer trainer(critic, options, streams, streams, host);
    // mean real - mean generated = (1.25, -0.25)
    CHECK(trainer.validate().terms.at("critic/distance") == Approx(1.25 * first + .25 * .008));
    trainer.step();
    CHECK(critic->w()[0].item<double>() == Approx(after).epsilon(1e-6));
    CHECK(critic->w()[1].item<double>() == Approx(-.0085).epsilon(1e-6));
  }
}
