// The text-to-image GANs: sizes, losses of specification 3, pairs, drawing, the frozen stage.
#include "models/stackgan/stackgan.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>

#include "framework/core/nn/module_scope.h"
#include "framework/core/options/yaml.h"
#include "losses/adversarial.h"
#include "losses/kl.h"
#include "tests/catch.h"
#include "tests/framework/core/nn/gradients.h"
#include "tests/models/fake_context.h"

using namespace lvtext;

namespace {

template <class Options>
Options options(const std::string& text) {
  return parse_options_or_throw<Options>(parse_yaml_or_throw(text, "options"));
}

/// Data with images and vectors of these sizes.
ModelInputs data(int64_t size, int64_t width, uint64_t seed = 1) {
  ModelInputs inputs{.seed = seed};
  inputs.streams["train"] = {
      {.name = "image", .kind = ColumnKind::kImage, .shape = {1, size, size}},
      {.name = "embedding", .kind = ColumnKind::kVector, .shape = {width}},
      {.name = "attributes", .kind = ColumnKind::kVector, .shape = {2}}};
  return inputs;
}

int64_t count(const torch::nn::Module& module, const std::string& prefix = "") {
  int64_t total = 0;
  for (const auto& each : module.named_parameters()) {
    if (each.key().starts_with(prefix)) total += each.value().numel();
  }
  return total;
}

at::Tensor draw(uint32_t use, at::IntArrayRef shape, at::ScalarType type = at::kFloat) {
  return normal_step({.seed = 9, .use = use}, shape, type);
}

at::Tensor column(const std::vector<double>& values) {
  return at::tensor(values, at::kDouble);
}

Batch batch(int64_t rows, int64_t size, int64_t width) {
  const at::Tensor ids = at::arange(rows);
  return {ids,
          {{"image", (uniform({.seed = 3}, ids, {1, size, size}, at::kFloat) * 256).to(at::kByte)},
           {"embedding", normal({.seed = 4}, ids, {width}, at::kFloat)},
           {"attributes", at::stack({ids % 2, ids % 2}, 1).to(at::kFloat)}}};
}

Phase phase_of(const Trainable& model, const std::string& name) {
  for (const Phase& phase : model.phases()) {
    if (phase.name == name) return phase;
  }
  FAIL("there is no phase " << name);
  return {};
}

/// The loss of a phase by its weights, with means over `rows` examples.
double loss_of(const Phase& phase, const Sums& sums, int64_t rows) {
  REQUIRE(sums.size() == phase.terms.size());
  double total = 0;
  for (size_t k = 0; k < sums.size(); ++k) {
    total += phase.terms[k].weight.at({}) * sums[k].item<double>() / static_cast<double>(rows);
  }
  return total;
}

/// Keeps shared values for tests to read and to replace.
struct SharingContext : FakeContext {
  SharingContext() : FakeContext(true) {}
  at::Tensor shared(const std::string& name, const std::vector<std::string>&,
                    const std::function<at::Tensor()>& compute) override {
    const auto [at, is_new] = values.try_emplace(name);
    if (is_new) at->second = compute();
    return at->second;
  }
  std::map<std::string, at::Tensor> values;
};

/// Scales initial weights up: those of 0.02 in few channels make nearly equal logits of all images.
void enlarge_weights(torch::nn::Module& module) {
  const at::NoGradGuard no_grad;
  for (at::Tensor& weight : module.parameters()) {
    if (weight.dim() > 1) weight.mul_(10);
  }
}

bool has_term(const Phase& phase, const std::string& name) {
  return std::any_of(phase.terms.begin(), phase.terms.end(),
                     [&](const LossTerm& term) { return term.name == name; });
}

constexpr const char* kTiny = "{generator: 8, discriminator: 4, judged: 6, noise: 5";

}  // namespace

TEST_CASE("text-to-image GANs: parameters of the published sizes", "[models]") {
  // Specification 3, section 2.3: one channel, vectors of 300 numbers.
  const TtiGan tti(options<GanOptions>("{joint_norm: batch}"), data(64, 300));
  CHECK(count(tti, "generator") == 12855744);
  CHECK(count(tti, "discriminator") == 5752193);
  const TtiGan own(options<GanOptions>("{}"), data(64, 300));
  CHECK(count(own, "discriminator") == 5752193 - 1024);
  const StackGanOne one(
      options<StageOneOptions>("{joint_norm: batch, conditioning: {judges: mean}}"), data(64, 300));
  CHECK(count(one, "conditioning") == 77056);
  CHECK(count(one, "generator") + count(one, "conditioning") == 10114752);
  CHECK(count(one, "discriminator") == 5713665);
  ModelInputs second = data(256, 300);
  second.models["stage_one"] = {.component = "tti_gan",
                                .model = std::make_shared<TtiGan>(
                                    options<GanOptions>(std::string(kTiny) + "}"), data(64, 300))};
  const StackGanTwo two(
      options<StageTwoOptions>("{joint_norm: batch, conditioning: {judges: mean}}"), second);
  CHECK(count(two, "generator") + count(two, "conditioning") == 26101856);
  CHECK(count(two, "discriminator") == 71267074);
  // The default: D's own layer of the condition, and a head of 512 channels without normalization.
  const StackGanOne own_one(options<StageOneOptions>("{generator: 8}"), data(64, 300));
  CHECK(count(own_one, "discriminator") == 5713665 + 38528 - 1024);
  const StackGanTwo own_two(options<StageTwoOptions>("{generator: 8}"), second);
  CHECK(count(own_two, "discriminator") == 71267074 + 38528 - 1024);
}

TEST_CASE("text-to-image GANs: losses of the specification", "[models]") {
  // Section 7.3.
  const at::Tensor r = column({2, -.5, .3}), w = column({.4, -1.2, .9}), f = column({-1, .7, -.2});
  CHECK(non_saturating_sum(r).item<double>() / 3 == Approx(0.551786747));
  CHECK(at::softplus(w).mean().item<double>() == Approx(0.805817198));
  CHECK(at::softplus(f).mean().item<double>() == Approx(0.671528869));
  CHECK(non_saturating_sum(f).item<double>() / 3 == Approx(0.838195535));
  // The weights of the phases, which make the losses of these terms.
  const auto sum = [](const at::Tensor& logits) { return at::softplus(logits).sum(); };
  const at::Tensor kept = column({.4, -1.2}), none = at::zeros({}, at::kDouble);
  TtiGan one(options<GanOptions>(std::string(kTiny) + "}"), data(8, 7));
  const Phase disc = phase_of(one, "disc");  // right, fake, wrong, ranked
  CHECK(loss_of(disc, {sum(-r), sum(f), sum(w), none}, 3) == Approx(1.290459780));
  CHECK(loss_of(disc, {sum(-r), sum(f), sum(kept) * 1.5, none}, 3) == Approx(1.181625611));
  TtiGan paper(options<GanOptions>(std::string(kTiny) + ", form: paper}"), data(8, 7));
  CHECK(loss_of(phase_of(paper, "disc"), {sum(-r), sum(f)}, 3) == Approx(1.223315615));
  CHECK(loss_of(phase_of(paper, "gen"), {-sum(f)}, 3) == Approx(-0.671528869));
  const at::Tensor ru = column({1.5, .2, -.3}), fu = column({-.6, .1, .8});
  ModelInputs inputs = data(16, 7);
  inputs.models["stage_one"] = {
      .component = "tti_gan",
      .model = std::make_shared<TtiGan>(options<GanOptions>(std::string(kTiny) + "}"), data(8, 7))};
  StackGanTwo two(options<StageTwoOptions>(std::string(kTiny) + "}"), inputs);
  CHECK(loss_of(phase_of(two, "disc"), {sum(-r), sum(f), sum(kept) * 1.5, none, sum(-ru), sum(fu)},
                3) == Approx(1.232879990));
  CHECK(loss_of(phase_of(two, "gen"), {sum(-f), sum(-fu), none}, 3) == Approx(1.522523961));
  // Section 7.1 and 7.2.
  const at::Tensor mu = at::tensor({.5, -1., 0., 2.}, at::kDouble).view({2, 2});
  const at::Tensor lv = at::tensor({0., -.5, 1., .2}, at::kDouble).view({2, 2});
  CHECK(gaussian_kl(mu, lv).mean().item<double>() == Approx(1.524053812));
  CHECK(gaussian_kl(mu, lv).mean().item<double>() / 2 == Approx(0.762026906));
  const auto kl_loss = [&](const std::string& weight) {
    const StackGanOne model(
        options<StageOneOptions>(std::string(kTiny) + ", conditioning: {size: 2, kl_reduction: " +
                                 "mean, kl_weight: " + weight + "}}"),
        data(8, 7));
    return loss_of(phase_of(model, "gen"), {none, gaussian_kl(mu, lv).sum() / 2}, 2);
  };
  CHECK(kl_loss("0.05") == Approx(0.038101345));
  CHECK(kl_loss("2") == Approx(1.524053812));
  const at::Tensor eps = at::tensor({1., -.5, .25, 2.}, at::kDouble).view({2, 2});
  const at::Tensor sample = at::tensor({1.5, -1.38940039, .41218032, 4.21034184}).view({2, 2});
  CHECK(at::allclose(reparameterize(mu, lv, eps), sample.to(at::kDouble), 1e-7));
}

TEST_CASE("text-to-image GANs: the images of a generator's update", "[models]") {
  const Batch of = batch(4, 8, 7);
  const at::Tensor& conditions = of.field("embedding");
  for (const bool is_fresh : {false, true}) {
    INFO("fresh: " << is_fresh);
    TtiGan model(
        options<GanOptions>(std::string(kTiny) + ", fakes: " + (is_fresh ? "fresh" : "same") + "}"),
        data(8, 7));
    enlarge_weights(model);
    SharingContext context;
    const auto logits = [&](const at::Tensor& images) {
      return model.judge(images, conditions, BatchNormMode::kRunning);
    };
    const auto adversarial = [&] {
      return model.losses(phase_of(model, "gen"), {of}, context)[0].item<double>();
    };
    const Sums disc = model.losses(phase_of(model, "disc"), {of}, context);
    const at::Tensor same = context.values.at("fake");
    CHECK(disc[1].item<double>() == Approx(at::softplus(logits(same)).sum().item<double>()));
    const at::Tensor fresh = model.draw(conditions, of.example_ids, context.noise("fresh"));
    const double of_same = non_saturating_sum(logits(same)).item<double>();
    const double of_fresh = non_saturating_sum(logits(fresh)).item<double>();
    CHECK(of_same != Approx(of_fresh).epsilon(1e-4));
    CHECK(adversarial() == Approx(is_fresh ? of_fresh : of_same));
    // Images that no noise draws: they were shared.
    context.values["fake"] = -same;
    const double of_other = non_saturating_sum(logits(-same)).item<double>();
    CHECK(of_same != Approx(of_other).epsilon(1e-4));
    CHECK(adversarial() == Approx(is_fresh ? of_fresh : of_other));
  }
}

TEST_CASE("text-to-image GANs: what each form sets", "[models]") {
  struct Expected {
    std::string form;
    bool has_wrong = true, is_saturating = false, normalizes_joint = true, is_fresh = false;
    bool is_relu = false, judges_mean = false;
    double kl_weight = 0.05, kl_divisor = 1;
  };
  // Specification 3, sections 2.3 and 3; a mean over three dimensions.
  const std::vector<Expected> forms = {
      {.form = "own", .normalizes_joint = false},
      {.form = "paper", .has_wrong = false, .is_saturating = true},
      {.form = "sgp", .is_relu = true, .judges_mean = true, .kl_weight = 2, .kl_divisor = 3},
      {.form = "sgt", .is_fresh = true, .kl_weight = 2, .kl_divisor = 3}};
  const Batch of = batch(4, 8, 7);
  const at::Tensor& conditions = of.field("embedding");
  for (const Expected& expected : forms) {
    INFO(expected.form);
    StackGanOne model(options<StageOneOptions>(std::string(kTiny) + ", conditioning: {size: 3}" +
                                               ", form: " + expected.form + "}"),
                      data(8, 7));
    enlarge_weights(model);
    const auto parameters = model.named_parameters();
    CHECK(parameters.contains("discriminator.joint.norm.weight") == expected.normalizes_joint);
    CHECK(parameters.contains("discriminator.condition.weight") != expected.judges_mean);
    const Phase disc = phase_of(model, "disc"), gen = phase_of(model, "gen");
    CHECK(has_term(disc, "wrong") == expected.has_wrong);
    CHECK(gen.terms.back().weight.at({}) == expected.kl_weight);
    SharingContext context;
    model.losses(disc, {of}, context);
    const Sums sums = model.losses(gen, {of}, context);
    const at::Tensor images = expected.is_fresh
                                  ? model.draw(conditions, of.example_ids, context.noise("fresh"))
                                  : context.values.at("fake");
    const at::Tensor logits = model.judge(images, conditions, BatchNormMode::kRunning);
    const at::Tensor adversarial =
        expected.is_saturating ? -at::softplus(logits).sum() : non_saturating_sum(logits);
    CHECK(sums[0].item<double>() == Approx(adversarial.item<double>()));
    const at::Tensor x = at::linear(conditions, parameters["conditioning.linear.weight"],
                                    parameters["conditioning.linear.bias"]);
    const auto halves = (expected.is_relu ? at::relu(x) : at::leaky_relu(x, 0.2)).chunk(2, 1);
    CHECK(sums[1].item<double>() ==
          Approx(gaussian_kl(halves[0], halves[1]).sum().item<double>() / expected.kl_divisor));
  }
}

TEST_CASE("text-to-image GANs: the weights of the losses' terms", "[models]") {
  FakeContext context(false);
  const auto check = [&](Trainable& model, int64_t size, bool second) {
    const Batch of = batch(4, size, 7);
    const Phase disc = phase_of(model, "disc");
    const Sums sums = model.losses(disc, {of}, context);
    std::map<std::string, double> mean;
    for (size_t k = 0; k < sums.size(); ++k) mean[disc.terms[k].name] = sums[k].item<double>() / 4;
    const double expected = second ? (mean["right"] + mean["right_image"]) / 2 +
                                         (mean["fake"] + mean["wrong"] + mean["fake_image"]) / 3
                                   : mean["right"] + 0.5 * (mean["wrong"] + mean["fake"]);
    CHECK(loss_of(disc, sums, 4) == Approx(expected));
  };
  TtiGan one(options<GanOptions>(std::string(kTiny) + "}"), data(8, 7));
  check(one, 8, false);
  ModelInputs inputs = data(16, 7);
  inputs.models["stage_one"] = {
      .component = "tti_gan",
      .model = std::make_shared<TtiGan>(options<GanOptions>(std::string(kTiny) + "}"), data(8, 7))};
  StackGanTwo two(options<StageTwoOptions>(std::string(kTiny) + "}"), inputs);
  check(two, 16, true);
}

TEST_CASE("text-to-image GANs: wrong pairs of equal examples are skipped", "[models]") {
  FakeContext context(false);
  TtiGan model(options<GanOptions>(std::string(kTiny) + ", equal_by: attributes}"), data(8, 7));
  const Phase disc = phase_of(model, "disc");
  const auto term = [&](const Sums& sums, const std::string& name) {
    for (size_t k = 0; k < sums.size(); ++k) {
      if (disc.terms[k].name == name) return sums[k].item<double>();
    }
    FAIL("there is no term " << name);
    return 0.0;
  };
  Batch of = batch(4, 8, 7);
  const at::Tensor real = of.field("image").to(at::kFloat) / 127.5 - 1;
  const at::Tensor other = at::roll(of.field("embedding"), -1, 0);
  const at::Tensor logits = model.judge(real, other, BatchNormMode::kRunning);
  // Attributes 0 0 1 1: the pairs of examples 0 and 2 are skipped.
  of.fields["attributes"] = at::tensor({0., 0., 1., 1.}).unsqueeze(1).repeat({1, 2}).to(at::kFloat);
  const double mean = (at::softplus(logits[1]) + at::softplus(logits[3])).item<double>() / 2;
  CHECK(term(model.losses(disc, {of}, context), "wrong") == Approx(4 * mean).epsilon(1e-5));
  const double fake = term(model.losses(disc, {of}, context), "fake");
  // None is left: generated images have the weight 1.
  of.fields["attributes"] = at::ones({4, 2});
  const Sums none = model.losses(disc, {of}, context);
  CHECK(term(none, "wrong") == 0);
  CHECK(term(none, "ranked") == 0);
  CHECK(term(none, "fake") == Approx(2 * fake).epsilon(1e-6));
}

TEST_CASE("text-to-image GANs: the logit of a pair depends on this pair alone", "[models]") {
  const at::Tensor images = at::tanh(draw(1, {6, 1, 16, 16}));
  const at::Tensor conditions = draw(2, {6, 7});
  // Pairs of the same images, the first right, the others exchanged.
  at::Tensor exchanged = at::roll(conditions, 1, 0);
  exchanged[0].copy_(conditions[0]);
  const auto first = [&](const char* more, const at::Tensor& of) {
    const TtiGan model(options<GanOptions>(std::string(kTiny) + more), data(16, 7));
    return model.judge(images, of, BatchNormMode::kBatchOnly)[0].item<double>();
  };
  CHECK(first("}", conditions) == Approx(first("}", exchanged)).epsilon(1e-6));
  CHECK(first(", joint_norm: batch}", conditions) !=
        Approx(first(", joint_norm: batch}", exchanged)).epsilon(1e-3));
}

TEST_CASE("text-to-image GANs: the discriminator as a critic", "[models]") {
  StackGanOne model(options<StageOneOptions>(std::string(kTiny) + ", form: sgp}"), data(16, 7));
  const at::Tensor bytes = batch(3, 16, 7).field("image"), conditions = draw(5, {2, 3, 7});
  const at::Tensor scores = model.score_images(bytes, conditions);
  CHECK(scores.sizes() == at::IntArrayRef({2, 3}));
  for (int64_t k = 0; k < 2; ++k) {
    const at::Tensor values = bytes.to(at::kFloat) / 127.5 - 1;
    CHECK(at::allclose(scores[k], model.judge(values, conditions[k], BatchNormMode::kRunning)));
    // An image by itself.
    CHECK(at::allclose(model.score_images(bytes.narrow(0, 2, 1), conditions.narrow(1, 2, 1))[k],
                       scores[k].narrow(0, 2, 1), 1e-4, 1e-5));
  }
  CHECK(model.scored_condition_size() == 7);
}

TEST_CASE("text-to-image GANs: an image depends on its own condition, noise and id", "[models]") {
  ModelInputs inputs = data(16, 7);
  const auto first =
      std::make_shared<StackGanOne>(options<StageOneOptions>(std::string(kTiny) + "}"), data(8, 7));
  inputs.models["stage_one"] = {.component = "stackgan_one", .model = first};
  StackGanTwo model(options<StageTwoOptions>(std::string(kTiny) + "}"), inputs);
  const at::Tensor conditions = draw(3, {5, 7}), ids = at::arange(5) * 3;
  const NoiseKey key{.seed = 2};
  const at::Tensor all = model.draw(conditions, ids, key);
  CHECK(all.sizes() == at::IntArrayRef({5, 1, 16, 16}));
  CHECK(all.abs().max().item<double>() <= 1);
  CHECK_FALSE(all.requires_grad());
  for (int64_t k = 0; k < 5; ++k) {
    CHECK(at::allclose(model.draw(conditions.narrow(0, k, 1), ids.narrow(0, k, 1), key)[0], all[k],
                       1e-5, 1e-6));
  }
  CHECK_FALSE(at::allclose(model.draw(conditions, ids + 1, key), all, 1e-3));
  CHECK_FALSE(at::allclose(model.draw(conditions, ids, {.seed = 3}), all, 1e-3));
  CHECK(model.drawn_from(conditions).sizes() == at::IntArrayRef({5, 128}));
  CHECK(model.condition_size() == 7);
  CHECK(model.image_size() == 16);
  REQUIRE(model.frozen().size() == 1);
  CHECK(model.frozen()[0] == first);
}

TEST_CASE("text-to-image GANs: gradients of the blocks are those of finite differences",
          "[models]") {
  using Inputs = std::vector<at::Tensor>;
  const auto check = [](const auto& block, const Inputs& inputs, const auto& value) {
    block->to(at::kDouble);
    check_gradients(inputs, value);
    check_parameter_gradients(*block, [&] { return value(inputs); });
  };
  const auto check_block = [&](const auto& block, const at::Tensor& in) {
    check(block, {in}, [block](const Inputs& inputs) {
      return weighted_sum({block->forward(inputs[0], BatchNormMode::kBatchOnly)});
    });
  };
  const Init init{3, "b"};
  const at::Tensor maps = draw(1, {3, 2, 8, 8}, at::kDouble);
  check_block(std::make_shared<DownBlock>(init, 2, 3, true), maps);
  check_block(std::make_shared<DownBlock>(init, 2, 3, false), maps);
  check_block(std::make_shared<ResidualBlock>(init, 4), draw(1, {3, 4, 4, 4}, at::kDouble));
  check_block(std::make_shared<Upsampler>(init, 4, 1, 1), draw(1, {2, 4, 4, 4}, at::kDouble));
  const at::Tensor vectors = draw(1, {3, 5}, at::kDouble);
  check_block(std::make_shared<FirstGenerator>(init, 5, 4, ImageShape{1, 8}), vectors);
  for (const auto activation : {ConditioningActivation::kNone, ConditioningActivation::kRelu,
                                ConditioningActivation::kLeaky}) {
    ConditioningOptions of{.size = 4};
    of.activation = activation;
    const auto conditioning = std::make_shared<Conditioning>(init, 5, of);
    check(conditioning, {vectors}, [conditioning](const Inputs& in) {
      const auto [mean, log_variance] = conditioning->forward(in[0]);
      const at::Tensor eps = draw(2, {3, 4}, at::kDouble);
      return weighted_sum({mean, log_variance, reparameterize(mean, log_variance, eps),
                           gaussian_kl(mean, log_variance)});
    });
  }
  const auto second = std::make_shared<SecondGenerator>(init, 3, 2, 1, 8, ImageShape{1, 16});
  check(second, {draw(1, {2, 1, 8, 8}, at::kDouble), draw(2, {2, 3}, at::kDouble)},
        [second](const Inputs& in) {
          return weighted_sum({second->forward(in[0], in[1], BatchNormMode::kBatchOnly)});
        });
  for (const bool is_normalized : {false, true}) {
    const auto judge =
        std::make_shared<Discriminator>(init,
                                        DiscriminatorLayout{.condition = 3,
                                                            .judged = 2,
                                                            .width = 2,
                                                            .normalizes_joint = is_normalized,
                                                            .judges_images = true},
                                        ImageShape{1, 16});
    check(judge, {draw(1, {3, 1, 16, 16}, at::kDouble), draw(2, {3, 3}, at::kDouble)},
          [judge](const Inputs& in) {
            const at::Tensor seen = judge->see(in[0], BatchNormMode::kBatchOnly);
            return weighted_sum({judge->judge_pairs(seen, in[1], BatchNormMode::kBatchOnly),
                                 judge->judge_images(seen)});
          });
  }
}

TEST_CASE("text-to-image GANs: sizes that do not fit are named", "[models]") {
  CHECK_THROWS_WITH(TtiGan(options<GanOptions>("{}"), data(60, 7)),
                    Catch::Matchers::Contains("60 x 60 pixels"));
  ModelInputs inputs = data(16, 7);
  inputs.models["stage_one"] = {
      .component = "tti_gan",
      .model = std::make_shared<TtiGan>(options<GanOptions>(std::string(kTiny) + "}"), data(8, 6))};
  CHECK_THROWS_WITH(StackGanTwo(options<StageTwoOptions>("{}"), inputs),
                    Catch::Matchers::Contains("vectors of 6 numbers"));
}
