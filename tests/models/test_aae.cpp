#include "models/aae/aae.h"

#include <cmath>

#include "framework/core/options/yaml.h"
#include "losses/adversarial.h"
#include "tests/catch.h"
#include "tests/models/fake_context.h"

using namespace lvtext;

namespace {

AaeOptions small(LatentKind kind) {
  AaeOptions options;
  options.size = ModelSize::kSmall;
  options.latent.kind = kind;
  if (kind == LatentKind::kSphere) options.latent.noise = 0.1;
  return options;
}

/// Records logged and kept values.
class NotingContext : public FakeContext {
 public:
  explicit NotingContext(bool training) : FakeContext(training) { scheduled = 0.1; }
  void log(const std::string& name, const at::Tensor& value) override {
    logged[name] = value.to(at::kDouble).item<double>();
  }
  std::map<std::string, double> logged;
};

/// The discriminator's logits [B] of z [B, Z], from its parameters.
at::Tensor logits_of(const Aae& model, const at::Tensor& z) {
  const auto p = model.named_parameters();
  const auto linear = [&](const std::string& layer, const at::Tensor& x) {
    return at::linear(x, p["discriminator." + layer + ".weight"],
                      p["discriminator." + layer + ".bias"]);
  };
  return linear("layer2", linear("layer1", z).relu()).squeeze(1);
}

/// Eight draws of the prior, with noise of deviation `sigma`.
at::Tensor prior_draws(Aae& model, const StepContext& context, double sigma) {
  const at::Tensor ids = at::arange(8), z = model.sample_prior(ids, context.noise("prior"));
  return z + sigma * normal(context.noise("prior_noise"), ids, {16}, z.options());
}

}  // namespace

TEST_CASE("aae: the discriminator gets the latent vectors that were decoded", "[models]") {
  for (const LatentKind kind : {LatentKind::kGaussDet, LatentKind::kGauss, LatentKind::kSphere}) {
    Aae model(small(kind), testing::model_inputs(20, 1));
    const Batch batch = text_batch(eight_sentences());
    NotingContext context(true);
    const auto phases = model.phases();
    const Sums first = model.losses(phases[0], {batch}, context);
    REQUIRE(first.size() == 2);
    const at::Tensor latents = context.load("latents");
    CHECK(at::allclose(latents, model.encode(batch.tokens())) == (kind == LatentKind::kGaussDet));
    const Sums second = model.losses(phases[1], {batch}, context);
    REQUIRE(second.size() == 1);
    // Before training they cannot be separated: about ln 2 for each of the 16.
    CHECK(second[0].item<double>() / 16 == Approx(std::log(2.0)).margin(0.1));
    const double sigma = kind == LatentKind::kSphere ? 0.1 : 0;
    const at::Tensor real = logits_of(model, prior_draws(model, context, sigma));
    const at::Tensor fake = logits_of(model, latents);
    CHECK(second[0].item<double>() ==
          Approx(discriminator_sum(real, fake).item<double>()).epsilon(1e-5));
    CHECK(context.logged.at("accuracy") ==
          Approx(discriminator_accuracy(real, fake).item<double>()));
  }
}

TEST_CASE("aae: prior samples get the noise of the latent vectors, or none", "[models]") {
  const Batch batch = text_batch(eight_sentences());
  AaeOptions noisy = small(LatentKind::kSphere), clean = noisy;
  clean.adversary.prior_noise = false;
  for (const double noise : {0.0, 0.1, 0.3}) {
    for (const AaeOptions& options : {noisy, clean}) {
      Aae model(options, testing::model_inputs(20, 1));
      NotingContext context(true);
      context.scheduled = noise;
      const at::Tensor latents = at::zeros({8, 16});
      context.store("latents", latents);
      const double loss = model.losses(model.phases()[1], {batch}, context)[0].item<double>();
      const double sigma = options.adversary.prior_noise ? noise : 0;
      const at::Tensor real = logits_of(model, prior_draws(model, context, sigma));
      const at::Tensor expected = discriminator_sum(real, logits_of(model, latents));
      CHECK(loss == Approx(expected.item<double>()).epsilon(1e-5));
    }
  }
}

TEST_CASE("aae: the radius of noisy latent vectors follows from the paper's noise", "[models]") {
  AaeOptions options = small(LatentKind::kSphere);
  options.latent.size = 128;
  Aae model(options, testing::model_inputs(20, 1));
  const auto ids = at::arange(100000);
  const NoiseKey key{.seed = 2, .step = 0, .stream = 0, .use = 1};
  for (const auto& [sigma, expected] :
       {std::pair(0.05, 1.14891253), {0.075, 1.31148770}, {0.1, 1.50996689}}) {
    const at::Tensor unit = model.sample_prior(ids, key);
    const at::Tensor noisy = unit + sigma * normal({.seed = 3, .step = 0, .stream = 0, .use = 2},
                                                   ids, {128}, unit.options());
    const double radius = std::sqrt(noisy.square().sum(1).mean().item<double>());
    CHECK(radius == Approx(expected).epsilon(0.01));
  }
}

TEST_CASE("aae: the warning about a winning discriminator names the option to change", "[models]") {
  const Aae model(small(LatentKind::kSphere), testing::model_inputs(20, 1));
  CHECK(model.warnings({{"discriminator/accuracy", 0.6}}).empty());
  CHECK(model.warnings({}).empty());
  const auto warnings = model.warnings({{"discriminator/accuracy", 0.987}});
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].id == "discriminator_wins");
  CHECK(warnings[0].text.find("99 %") != std::string::npos);
  CHECK(warnings[0].text.find("adversary.weight") != std::string::npos);
}

TEST_CASE("aae: the mean of its loss is over sentences", "[models]") {
  const auto read = [](const char* options) {
    return parse_options_or_throw<AaeOptions>(parse_yaml_or_throw(options, "test"));
  };
  CHECK_NOTHROW(read("{mean_over: sentences}"));
  CHECK_THROWS_WITH(read("{mean_over: tokens}"), Contains("mean_over is an option of autoencoder"));
}
