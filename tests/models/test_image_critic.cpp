// The critics of images: sizes, bound, batches, conditions, end of training.
#include <ATen/ATen.h>

#include <cmath>
#include <string>
#include <vector>

#include "framework/core/base/error.h"
#include "models/image_critic/image_critic.h"
#include "tests/catch.h"
#include "tests/framework/core/nn/gradients.h"
#include "tests/models/fake_context.h"
#include "tests/text.h"

using namespace lvtext;

namespace {

ModelInputs inputs_of(int64_t side, int64_t condition = 0, int64_t channels = 1) {
  ModelInputs inputs{.seed = 5};
  for (const char* stream : {"train", "generated"}) {
    auto& fields = inputs.streams[stream];
    fields.push_back(
        {.name = "image", .kind = ColumnKind::kImage, .shape = {channels, side, side}});
    if (condition > 0) {
      fields.push_back({.name = "condition", .kind = ColumnKind::kVector, .shape = {condition}});
    }
  }
  return inputs;
}

std::shared_ptr<ImageCritic> critic_of(int64_t side, int64_t width, int64_t condition = 0) {
  ImageCriticOptions options;
  options.width = width;
  if (condition > 0) options.condition = "condition";
  return std::make_shared<ImageCritic>(options, inputs_of(side, condition));
}

int64_t parameters_of(Trainable& model) {
  int64_t count = 0;
  for (const at::Tensor& parameter : model.parameters()) count += parameter.numel();
  return count;
}

at::Tensor noise(uint64_t seed, at::IntArrayRef shape) {
  return normal_step({seed, 0, 0, 3}, shape, at::TensorOptions(at::kFloat));
}
at::Tensor random_images(uint64_t seed, int64_t count, int64_t side) {
  return (uniform_step({seed, 0, 0, 7}, {count, 1, side, side}, at::TensorOptions(at::kFloat)) *
          255)
      .to(at::kByte);
}

Batch batch_of(const at::Tensor& images, const at::Tensor& conditions = {}) {
  Batch batch{at::arange(images.size(0), at::kLong), {{"image", images}}};
  if (conditions.defined()) batch.fields["condition"] = conditions;
  return batch;
}

/// Mean distance of a batch of real and one of generated images.
double distance(ImageCritic& critic, const Batch& real, const Batch& generated) {
  FakeContext context(false);
  return critic.losses(critic.phases()[0], {real, generated}, context)[0].item<double>() /
         static_cast<double>(real.rows());
}

/// Parameters of magnitude `bound` with random signs.
void push_to_bounds(ImageCritic& critic, uint64_t seed, double bound) {
  const at::NoGradGuard no_grad;
  for (at::Tensor& parameter : critic.parameters()) {
    parameter.copy_(noise(++seed, parameter.sizes()).sign() * bound);
  }
}

TrainerState validated(const std::vector<double>& distances) {
  TrainerState state;
  for (const double each : distances) {
    state.evaluations.push_back({.step = 50 * (std::ssize(state.evaluations) + 1),
                                 .objective = -each,
                                 .terms = {{"critic/distance", each}}});
  }
  return state;
}

std::string mistake(const ModelInputs& inputs) {
  try {
    const ImageCritic critic({}, inputs);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("image_critic: numbers of parameters", "[image_critic]") {
  CHECK(parameters_of(*critic_of(64, 64)) == 2763520);
  CHECK(parameters_of(*critic_of(256, 64)) == 44737280);
  CHECK(parameters_of(*critic_of(64, 64, 300)) == 3130752);
  CHECK(parameters_of(*critic_of(256, 64, 128)) == 49214336);
}

TEST_CASE("image_critic: the largest distance", "[image_critic]") {
  // 2 c^2 16 C for C = 512, 768, 1024, 2048 and 128.
  CHECK(critic_of(64, 64)->largest_distance() == Approx(1.6384));
  CHECK(critic_of(64, 96)->largest_distance() == Approx(2.4576));
  CHECK(critic_of(64, 128)->largest_distance() == Approx(3.2768));
  CHECK(critic_of(256, 64)->largest_distance() == Approx(6.5536));
  CHECK(critic_of(64, 16)->largest_distance() == Approx(0.4096));
  // Images of 8 pixels: one convolution of 16 pixels from -1 to 1, not normalized.
  CHECK(critic_of(8, 4)->largest_distance() == Approx(16 * 0.0128));
  CHECK(critic_of(8, 4, 4)->largest_distance() == Approx(0.0128));
  // With parameters at their bounds, for images as different as they can be.
  for (const auto& sizes : {std::pair<int64_t, int64_t>{16, 0}, {16, 4}, {8, 0}}) {
    const int64_t side = sizes.first, condition = sizes.second;
    const auto critic = critic_of(side, 4, condition);
    double largest = 0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
      push_to_bounds(*critic, 100 * seed, 0.01);
      const auto with = [&](const at::Tensor& images, double scale) {
        return batch_of(images, condition > 0 ? scale * noise(seed, {6, condition}) : at::Tensor());
      };
      const at::Tensor real = random_images(seed, 6, side);
      const at::Tensor generated = seed % 2 == 0 ? at::full_like(real, 255 * (seed % 4 / 2))
                                                 : random_images(seed + 50, 6, side).bitwise_and(1);
      const double w = distance(*critic, with(real, 1000), with(generated, -1000));
      largest = std::max(largest, std::abs(w));
    }
    INFO("side " << side << ", condition " << condition);
    CHECK(largest < critic->largest_distance());
    CHECK(largest > 0.001 * critic->largest_distance());
  }
}

TEST_CASE("image_critic: real and generated images pass in batches of their own",
          "[image_critic]") {
  const auto critic = critic_of(8, 4, 4);
  push_to_bounds(*critic, 1, 0.5);
  const at::Tensor real = random_images(1, 6, 8), generated = random_images(2, 6, 8);
  const at::Tensor c = noise(1, {6, 4});
  const at::Tensor alone = critic->score_images(real, c.unsqueeze(0));
  CHECK(alone.sizes() == at::IntArrayRef({1, 6}));
  const double w = distance(*critic, batch_of(real, c), batch_of(generated, c));
  const double expected = alone.mean().item<double>() -
                          critic->score_images(generated, c.unsqueeze(0)).mean().item<double>();
  CHECK(w == Approx(expected).margin(1e-5));
  // One pass over both would have other statistics.
  const at::Tensor both =
      critic->score_images(at::cat({real, generated}), at::cat({c, c}).unsqueeze(0));
  const double joint = (both[0].slice(0, 0, 6).mean() - both[0].slice(0, 6).mean()).item<double>();
  CHECK(std::abs(joint - w) > 1e-3);
}

TEST_CASE("image_critic: permuted conditions change the score, unlike an additive one",
          "[image_critic]") {
  const auto critic = critic_of(8, 4, 4);
  push_to_bounds(*critic, 3, 0.5);
  const at::Tensor real = random_images(1, 6, 8), generated = random_images(2, 6, 8);
  const at::Tensor c = noise(1, {6, 4}), other = at::roll(c, 1, 0);
  const auto w = [&](const at::Tensor& conditions) {
    return distance(*critic, batch_of(real, conditions), batch_of(generated, conditions));
  };
  CHECK(std::abs(w(c) - w(other)) > 1e-3);
  // f(x, c) = a(x) + b(c), with a from the critic without conditions.
  const auto images_alone = critic_of(8, 4);
  push_to_bounds(*images_alone, 3, 0.5);
  const auto additive = [&](const at::Tensor& conditions) {
    const at::Tensor b = conditions.sum(1).sin();
    return ((images_alone->score_images(real, {})[0] + b).mean() -
            (images_alone->score_images(generated, {})[0] + b).mean())
        .item<double>();
  };
  CHECK(additive(c) == Approx(additive(other)).margin(1e-5));
}

TEST_CASE("image_critic: several conditions of an image in one pass", "[image_critic]") {
  const auto critic = critic_of(8, 4, 4);
  push_to_bounds(*critic, 7, 0.5);
  const at::Tensor images = random_images(1, 6, 8);
  const at::Tensor c = noise(1, {6, 4});
  // The first three images have equal conditions in both pairs.
  const at::Tensor other = at::cat({c.slice(0, 0, 3), noise(2, {3, 4})});
  const at::Tensor scores = critic->score_images(images, at::stack({c, other}));
  REQUIRE(scores.sizes() == at::IntArrayRef({2, 6}));
  const at::Tensor difference = (scores[0] - scores[1]).abs();
  CHECK(difference.slice(0, 0, 3).max().item<double>() < 1e-5);
  CHECK(difference.slice(0, 3).min().item<double>() > 1e-3);
  // In two passes, the other conditions of the batch change the scores of equal pairs.
  const at::Tensor apart = critic->score_images(images, other.unsqueeze(0))[0];
  const at::Tensor own = critic->score_images(images, c.unsqueeze(0))[0];
  CHECK((apart - own).slice(0, 0, 3).abs().max().item<double>() > 1e-3);
}

TEST_CASE("image_critic: features are means over the last map", "[image_critic]") {
  const auto critic = critic_of(16, 3);
  push_to_bounds(*critic, 13, 0.5);
  // With equal weights at all 16 positions the score is linear in the means.
  const at::NoGradGuard no_grad;
  at::Tensor output = critic->named_parameters()["output.weight"];
  const at::Tensor weights = noise(9, {6});
  output.copy_(weights.view({1, 6, 1, 1}).expand_as(output));
  const at::Tensor images = random_images(1, 5, 16);
  CHECK(critic->feature_size() == 6);
  const at::Tensor features = critic->image_features(images);
  REQUIRE(features.sizes() == at::IntArrayRef({5, 6}));
  const at::Tensor expected = 16 * features.mv(weights);
  CHECK((critic->score_images(images, {})[0] - expected).abs().max().item<double>() < 1e-4);
  // A condition joins the map after them.
  const auto with_condition = critic_of(16, 3, 4);
  for (const auto& each : with_condition->named_parameters()) {
    if (each.key().starts_with("block")) each.value().copy_(critic->named_parameters()[each.key()]);
  }
  CHECK(at::equal(with_condition->image_features(images), features));
}

TEST_CASE("image_critic: gradients by finite differences in float64", "[image_critic]") {
  for (const int64_t condition : {0, 4}) {
    const auto critic = critic_of(8, 2, condition);
    push_to_bounds(*critic, 11, 0.2);
    critic->to(at::kDouble);
    {
      // Magnitudes that differ.
      const at::NoGradGuard no_grad;
      for (at::Tensor& parameter : critic->parameters()) {
        parameter.add_(noise(parameter.numel(), parameter.sizes()).to(at::kDouble) * 0.1);
      }
    }
    const auto with = [&](uint64_t seed) {
      return batch_of(random_images(seed, 5, 8),
                      condition > 0 ? noise(seed, {5, condition}).to(at::kDouble) : at::Tensor());
    };
    const Batch real = with(1), generated = with(2);
    FakeContext context(false);
    const auto value = [&] {
      return critic->losses(critic->phases()[0], {real, generated}, context)[0];
    };
    check_parameter_gradients(*critic, value);
  }
}

TEST_CASE("image_critic: ends when the mean distance stops rising", "[image_critic]") {
  const auto critic = critic_of(8, 4);
  std::vector<double> rising;
  for (int i = 0; i < 60; ++i) rising.push_back(0.01 * (i + 1));
  CHECK_FALSE(critic->stop_reason(validated(rising)));
  CHECK_FALSE(critic->stop_reason(validated({})));
  // The mean of five reaches its final value four validations after the distance does; ten more
  // without a gain follow.
  std::vector<double> flat = {0.1, 0.2, 0.3};
  for (int i = 0; i < 14; ++i) {
    CHECK_FALSE(critic->stop_reason(validated(flat)));
    flat.push_back(0.3);
  }
  // Means of the last five: 0.1, 0.15, 0.2, 0.225, 0.24, 0.28, 0.3, 0.3, ...
  CHECK(critic->stop_reason(validated(flat)) == "plateau");
  flat.back() = 1;
  CHECK_FALSE(critic->stop_reason(validated(flat)));
  // A gain of less than 0.5 % does not count.
  std::vector<double> slow;
  for (int i = 0; i < 20; ++i) slow.push_back(0.3 * (1 + 0.0001 * i));
  CHECK(critic->stop_reason(validated(slow)) == "plateau");
}

TEST_CASE("image_critic: images that do not fit are errors", "[image_critic]") {
  CHECK(contains(mistake(inputs_of(48)), "8, 16, 32, 64"));
  CHECK(contains(mistake(inputs_of(4)), "8, 16, 32, 64"));
  ModelInputs unequal = inputs_of(16);
  unequal.streams["generated"][0].shape = {1, 32, 32};
  CHECK(contains(mistake(unequal), "1x16x16 and the generated ones 1x32x32"));
  ModelInputs missing = inputs_of(16);
  missing.streams.erase("generated");
  CHECK(contains(mistake(missing), "the data of the stream 'generated' has no image 'image'"));
}
