#include "models/arae/arae.h"

#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/options/yaml.h"
#include "losses/adversarial.h"
#include "tests/catch.h"
#include "tests/models/fake_context.h"

using namespace lvtext;

namespace {

AraeOptions small() {
  AraeOptions options;
  options.size = AraeSize::kSmall;
  return options;
}

const Phase& phase_of(const std::vector<Phase>& phases, const std::string& name) {
  for (const auto& phase : phases) {
    if (phase.name == name) return phase;
  }
  throw std::logic_error("no phase " + name);
}

/// Records the input and the output of a tap.
class TappingContext : public FakeContext {
 public:
  TappingContext() : FakeContext(true) { scheduled = 0.2; }
  at::Tensor gradient_hook(const at::Tensor& z,
                           const std::function<at::Tensor(const at::Tensor&)>& change) override {
    at::Tensor tapped = z.view_as(z);
    tapped.register_hook([this, change](const at::Tensor& gradient) {
      in = gradient.clone();
      out = change(gradient).clone();
      return out;
    });
    return tapped;
  }
  at::Tensor in, out;
};

}  // namespace

TEST_CASE("arae: the noise decays as in the released code", "[models]") {
  const AraeOptions options;
  const auto radius = [&](const AraeLoopOptions& loop, double updates) {
    return 0.2 * std::pow(0.995, noise_decays(options.latent, loop, updates));
  };
  AraeLoopOptions loop;
  CHECK(noise_decays(options.latent, loop, 98) == 0);
  CHECK(noise_decays(options.latent, loop, 99) == 1);
  CHECK(noise_decays(options.latent, loop, 199) == 2);
  CHECK(noise_decays(options.latent, loop, 3125) == 31);
  CHECK(noise_decays(options.latent, loop, 3125 + 98) == 31);
  CHECK(radius(loop, 3125) == Approx(0.171216).margin(1e-6));
  CHECK(noise_decays(options.latent, loop, 15 * 3125) == 465);
  CHECK(radius(loop, 15 * 3125) == Approx(0.019443).margin(1e-6));
  loop.updates_per_epoch = 782;
  CHECK(noise_decays(options.latent, loop, 50 * 782) == 350);
  CHECK(radius(loop, 50 * 782) == Approx(0.0346).margin(5e-5));
}

TEST_CASE("arae: one more round at epochs 2, 4 and 6", "[models]") {
  const AraeLoopOptions loop;
  const int64_t expected[] = {1, 2, 2, 3, 3, 4, 4, 4};
  for (int64_t epoch = 0; epoch < 8; ++epoch) {
    CHECK(adversarial_rounds(loop, static_cast<double>(epoch * 3125)) == expected[epoch]);
    CHECK(adversarial_rounds(loop, static_cast<double>(epoch * 3125 + 3124)) == expected[epoch]);
  }
}

TEST_CASE("arae: latent vectors are unit vectors of the encoder's width, or projected",
          "[models]") {
  Arae original(AraeOptions{}, testing::model_inputs(20, 1));
  CHECK(original.latent_size() == 300);
  AraeOptions projected = small();
  projected.latent.size = 9;
  Arae model(projected, testing::model_inputs(20, 1));
  const at::Tensor z = model.encode(pad_sentences(eight_sentences()));
  REQUIRE(z.sizes() == at::IntArrayRef({8, 9}));
  CHECK(at::allclose(z.norm(2, 1), at::ones({8})));
}

TEST_CASE("arae: the reconstruction is a mean over tokens", "[models]") {
  const Arae model(small(), testing::model_inputs(20, 1));
  const auto phases = model.phases();
  CHECK(phases.front().terms.front().denominator == Denominator::kTargets);
  CHECK(phase_of(phases, "critic").updates.size() == 2);
  CHECK(phase_of(phases, "critic").draws.front().stream == "critic");
}

TEST_CASE("arae: the encoder gets the critic's gradient reversed and rescaled", "[models]") {
  Arae model(small(), testing::model_inputs(20, 1));
  const Batch batch = text_batch(eight_sentences());
  TappingContext context;
  const auto phases = model.phases();
  const double rows = 8;
  (model.losses(phases[0], {batch}, context)[0] / rows).backward();
  const at::Tensor own = context.in;
  CHECK(at::equal(own, context.out));
  CHECK(context.load("latent_gradient").item<float>() ==
        Approx(own.norm(2, {1}).mean().item<float>()));
  (model.losses(phase_of(phases, "critic"), {batch}, context)[0] / rows).backward();
  const at::Tensor expected = latent_gradient(context.in, own.norm(2, {1}).mean(), 0.01);
  CHECK(at::allclose(context.out, expected, 1e-5, 1e-12));
  CHECK((context.out * context.in).sum().item<float>() < 0);
  CHECK(mean_row_norm(context.out).item<float>() ==
        Approx(0.01 * own.norm(2, {1}).mean().item<float>()).epsilon(1e-4));
}

TEST_CASE("arae: a sample does not depend on other rows", "[models]") {
  Arae model(small(), testing::model_inputs(20, 1));
  const NoiseKey key{.seed = 5, .step = 0, .stream = 0, .use = 1};
  const at::Tensor all = model.sample_prior(at::arange(6), key);
  const at::Tensor one = model.sample_prior(at::arange(3, 4), key);
  CHECK(at::allclose(all[3], one[0], 1e-5, 1e-7));
}

TEST_CASE("arae: a collapsed generator is reported", "[models]") {
  const Arae model(small(), testing::model_inputs(20, 1));
  CHECK(model.warnings({{"generator/spread", 0.05}, {"autoencoder/latent_std", 0.1}}).empty());
  const auto warnings =
      model.warnings({{"generator/spread", 0.005}, {"autoencoder/latent_std", 0.1}});
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].text.find("5 %") != std::string::npos);
}

TEST_CASE("arae: batch normalization requires two sentences", "[models]") {
  AraeOptions options = small();
  CHECK(Arae(options, testing::model_inputs(20, 1)).min_batch_size() == 2);
  options.generator.batch_norm = options.critic.batch_norm = false;
  CHECK(Arae(options, testing::model_inputs(20, 1)).min_batch_size() == 1);
}

TEST_CASE("arae: a penalty with batch normalization is rejected", "[models]") {
  const Node options = parse_yaml_or_throw("{critic: {bound: gradient_penalty}}", "test");
  CHECK_THROWS_AS(parse_options_or_throw<AraeOptions>(options), ConfigError);
}

TEST_CASE("arae: updates of the encoder per round", "[models]") {
  const auto plan_of = [](const std::string& loop) {
    const auto options = parse_options_or_throw<AraeOptions>(
        parse_yaml_or_throw("{size: small, critic: {bound: gradient_penalty, batch_norm: false}, "
                            "loop: " +
                                loop + "}",
                            "test"));
    return Arae(options, testing::model_inputs(20, 1)).plan({}, {});
  };
  CHECK(plan_of("{encoder: 1}") == StepPlan{"autoencoder", "critic", "critic", "critic", "critic",
                                            "critic", "encoder", "generator"});
  CHECK(plan_of("{critic: 2}") ==
        StepPlan{"autoencoder", "critic", "encoder", "critic", "encoder", "generator"});
  CHECK(plan_of("{critic: 2}") == plan_of("{critic: 2, encoder: 2}"));
  CHECK(plan_of("{critic: 2, encoder: 3}") ==
        StepPlan{"autoencoder", "critic", "encoder", "critic", "encoder", "encoder", "generator"});
  const Node clamped = parse_yaml_or_throw("{loop: {encoder: 1}}", "test");
  CHECK_THROWS_WITH(parse_options_or_throw<AraeOptions>(clamped),
                    Contains("requires critic.bound gradient_penalty"));
}

TEST_CASE("arae: numbers of parameters", "[models]") {
  const auto count = [](const AraeOptions& options, const std::string& name) {
    Arae model(options, testing::model_inputs(20, 1));
    int64_t sum = 0;
    for (const auto& group : model.groups()) {
      if (group.name != name) continue;
      for (const auto& [parameter, tensor] : group.params) sum += tensor.numel();
    }
    return sum;
  };
  AraeOptions options;
  CHECK(count(options, "generator") == 212100);
  CHECK(count(options, "critic") == 181501);
  options.critic.batch_norm = false;
  CHECK(count(options, "critic") == 181501 - 600);
}
