#include "framework/cli/plugins.h"
#include "framework/core/model/registries.h"
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
  Subject subject;
  subject.name = name;
  // Each model has its own frozen models, because to_double() converts them.
  subject.model = [&registries, configured](uint64_t seed) {
    ModelInputs inputs = toy_inputs(registries, configured, 1);
    inputs.seed = seed;
    return configured.model(inputs);
  };
  subject.train = toy_streams(*subject.model(1), 5, 7, 32);
  subject.validation = toy_streams(*subject.model(1), 7, 2, 8);
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
