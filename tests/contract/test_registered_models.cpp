#include "framework/cli/plugins.h"
#include "framework/model/registries.h"
#include "models/register.h"
#include "tests/contract/contract.h"
#include "tests/contract/toy_parts.h"

using namespace lvtext;
using namespace lvtext::testing;

namespace {

Subject subject_of(const std::string& name, const ModelEntry& entry) {
  const Node options = small_options(entry);
  Subject subject;
  subject.name = name;
  subject.model = [&entry, options](uint64_t seed) {
    return entry.build(options, ModelInputs{13, seed, 2});  // as ToyStream has them
  };
  subject.train = toy_streams(*subject.model(1), 5, 7, 32);
  subject.validation = toy_streams(*subject.model(1), 7, 2, 8);
  return subject;
}

/// What the suite runs on: lvtext's own models or, with LVTEXT_TEST_PLUGIN=FILE, that plug-in's.
struct Tested {
  Registries registries;
  std::vector<std::string> names;

  Tested() {
    const char* plugin = std::getenv("LVTEXT_TEST_PLUGIN");
    register_all_models(registries);
    if (plugin) load_plugin({plugin, "LVTEXT_TEST_PLUGIN"}, registries);
    for (const auto& name : registries.models.names()) {
      if (!plugin || registries.models.get(name).about.plugin) names.push_back(name);
    }
  }
};

}  // namespace

TEST_CASE("contract: every registered model", "[contract]") {
  static const Tested tested;
  REQUIRE(!tested.names.empty());
  for (const auto& name : tested.names) {
    check_contract(subject_of(name, tested.registries.models.get(name)));
  }
}
