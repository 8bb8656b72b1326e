// Properties of the adversarial models beyond the contract of all models.
#include "framework/core/model/registries.h"
#include "framework/core/options/yaml.h"
#include "models/register.h"
#include "tests/contract/contract.h"
#include "tests/contract/toy_parts.h"

using namespace lvtext;
using namespace lvtext::testing;

namespace {

const Registries& models() {
  static const Registries all = [] {
    Registries registries;
    register_all_models(registries);
    return registries;
  }();
  return all;
}

std::shared_ptr<Trainable> built(const std::string& name, const std::string& options,
                                 uint64_t seed = 1) {
  return models()
      .models.get(name)
      .configure(parse_yaml_or_throw(options, "test"))
      .model(model_inputs(13, seed));
}

Subject subject_of(const std::string& name, const std::string& model, const std::string& options) {
  Subject subject;
  subject.name = name;
  subject.model = [model, options](uint64_t seed) { return built(model, options, seed); };
  subject.train = toy_streams(*subject.model(1), 5, 7, 32);
  subject.validation = {{"train", std::make_shared<ToyStream>(7, 2, 8)}};
  return subject;
}

}  // namespace

TEST_CASE("contract: aae on the sphere", "[contract]") {
  check_contract(
      subject_of("aae sphere", "aae", "{size: small, latent: {kind: sphere, noise: 0.1}}"));
}

TEST_CASE("contract: aae with a Gaussian posterior", "[contract]") {
  check_contract(
      subject_of("aae gauss", "aae", "{size: small, latent: {kind: gauss}, logvar_l1: 0.1}"));
}

TEST_CASE("contract: arae with a gradient penalty", "[contract]") {
  check_contract(subject_of("arae penalty", "arae",
                            "{size: small, critic: {bound: gradient_penalty, batch_norm: false}, "
                            "generator: {batch_norm: false}}"));
}

TEST_CASE("aae: with weight 0 its autoencoder is bitwise identical to the plain one",
          "[contract]") {
  for (const std::string latent :
       {"{kind: sphere, noise: 0.1}", "{kind: gauss_det}", "{kind: gauss}"}) {
    const std::string rest = "size: small, decoder: {dropout: 0.6}, latent: " + latent;
    const Subject plain = subject_of("plain", "autoencoder", "{" + rest + "}");
    const Subject adversarial =
        subject_of("adversarial", "aae", "{" + rest + ", adversary: {weight: 0}}");
    const auto trained = [](const Subject& subject) {
      const auto model = subject.model(1);
      MemoryHost host;
      Trainer trainer(model, suite_options(subject), subject.train, {}, host);
      for (int step = 0; step < 4; ++step) trainer.step();
      return snapshot(*model);
    };
    const TensorMap expected = trained(plain);
    const TensorMap found = trained(adversarial);
    CHECK(found.size() > expected.size());
    for (const auto& [name, value] : expected) {
      INFO(latent << " " << name);
      CHECK(same_bits(value, found.at(name)));
    }
  }
}

TEST_CASE("arae: a step is one update of the autoencoder and rounds of the other phases",
          "[contract]") {
  const auto model = built("arae", "{size: small, loop: {updates_per_epoch: 2}}");
  Subject subject = subject_of("arae steps", "arae", "{size: small}");
  TrainOptions options = suite_options(subject);
  options.optimizers["critic"].lr = 1e-3;
  options.optimizers["critic"].clip_norm = 0;
  MemoryHost host;
  Trainer trainer(model, options, toy_streams(*model, 5, 7, 32), {}, host);
  // Epochs of two updates: rounds 1 1 | 2 2 | 2 2 | 3.
  const int64_t rounds[] = {1, 1, 2, 2, 2, 2, 3};
  int64_t sum = 0;
  for (int64_t step = 0; step < 7; ++step) {
    trainer.step();
    sum += rounds[step];
    const auto& runs = trainer.state().phase_runs;
    CHECK(runs.at("autoencoder") == step + 1);
    CHECK(runs.at("generator") == sum);
    CHECK(runs.at("critic") == 5 * sum);
    CHECK(trainer.state().group_updates.at("encoder") == step + 1 + 5 * sum);
    CHECK(trainer.state().group_updates.at("decoder") == step + 1);
  }
  // Clamped before the update: parameters exceed the limit by at most one step of Adam, which is at
  // most lr (1 - beta1) / sqrt(1 - beta2).
  double largest = 0;
  for (const auto& group : model->groups()) {
    if (group.name != "critic") continue;
    for (const auto& [name, value] : group.params) {
      largest = std::max(largest, value.abs().max().item<double>());
    }
  }
  CHECK(largest > 0.01);
  CHECK(largest <= 0.01 + 1e-3 * 0.5 / std::sqrt(1e-3) + 1e-6);
  // Only the autoencoder's own sentences count into epochs: 7 of 7 batches.
  CHECK(trainer.state().epoch == 1);
}
