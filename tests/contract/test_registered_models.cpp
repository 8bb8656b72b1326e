#include "framework/cli/plugins.h"
#include "framework/core/model/registries.h"
#include "models/image_critic/image_critic.h"
#include "models/register.h"
#include "tests/contract/contract.h"
#include "tests/contract/toy_parts.h"

using namespace lvtext;
using namespace lvtext::testing;

namespace {

/// `registries` must outlive the subject.
Subject subject_of(const Registries& registries, const std::string& name) {
  const Component& entry = registries.models.get(name);
  const Configured configured = entry.configure(small_options(entry));
  const ImageDims image = accepted_images(registries, configured);
  Subject subject;
  subject.name = name;
  // Each model has its own frozen models, because to_double() converts them.
  subject.model = [&registries, configured, image](uint64_t seed) {
    ModelInputs inputs = toy_inputs(registries, configured, 1, image);
    inputs.seed = seed;
    return configured.model(inputs);
  };
  subject.train = toy_streams(*subject.model(1), 5, 7, 32, image);
  subject.validation = toy_streams(*subject.model(1), 7, 2, 8, image);
  return subject;
}

/// Subjects of the suite: the trainable models of lvtext or, with LVTEXT_TEST_PLUGIN=FILE, of that
/// plug-in; with LVTEXT_TEST_MODEL=NAME only this one, or none if it is fitted.
struct Tested {
  Registries registries;
  std::vector<Subject> subjects;  // made once: Catch2 runs the test case for each section

  Tested() {
    const char* plugin = std::getenv("LVTEXT_TEST_PLUGIN");
    const char* only = std::getenv("LVTEXT_TEST_MODEL");
    register_all_models(registries);
    if (plugin) load_plugin({plugin, "LVTEXT_TEST_PLUGIN"}, registries);
    for (const auto& name : registries.models.names()) {
      if (only && name != only) continue;
      const Component& model = registries.models.get(name);
      if (model.is_fitted || (plugin && !model.about.plugin)) continue;
      subjects.push_back(subject_of(registries, name));
    }
  }
};

}  // namespace

TEST_CASE("contract: every registered model", "[contract]") {
  static const Tested tested;
  const char* only = std::getenv("LVTEXT_TEST_MODEL");
  REQUIRE((only ? tested.registries.models.contains(only) : !tested.subjects.empty()));
  for (const Subject& subject : tested.subjects) check_contract(subject);
}

TEST_CASE("contract: the smallest images that a model accepts", "[contract]") {
  const Registries registries;
  Configured configured;
  configured.model = [](const ModelInputs& inputs) {
    const ImageDims& shape = inputs.field("train", "image", ColumnKind::kImage).shape;
    if (shape[0] != 3 || shape[1] < 32) throw ConfigError("the images are grey or too small");
    return std::make_shared<ImageCritic>(ImageCriticOptions{.width = 2}, inputs);
  };
  const ImageDims image = accepted_images(registries, configured);
  CHECK(image == ImageDims{3, 32, 32});
  const auto model = configured.model(model_inputs(13, 1, 2, image));
  const Batch batch = toy_streams(*model, 1, 1, 6, image).at("generated")->batch(0, 0);
  CHECK(batch.field("image").sizes() == at::IntArrayRef({6, 3, 32, 32}));
  configured.model = [](const ModelInputs& inputs) -> std::shared_ptr<Trainable> {
    throw ConfigError("never " +
                      std::to_string(inputs.field("train", "image", ColumnKind::kImage).shape[0]));
  };
  CHECK_THROWS_WITH(accepted_images(registries, configured), "never 1");
}
