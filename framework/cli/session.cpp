#include "framework/cli/session.h"

#include <algorithm>
#include <cstdlib>

#include "framework/tensor/device.h"

namespace lvtext {

// Defined in generated files: the calls of every folder below models/ and evaluators/.
void register_all_models(Registries& registries);
void register_all_evaluators(Registries& registries);

namespace {

std::filesystem::path find_installation() {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  const auto share = program.parent_path().parent_path() / "share" / "lvtext";
  return std::filesystem::is_directory(share / "recipes", failed) ? share : std::filesystem::path();
}

}  // namespace

Session::Session() : runs("runs"), installation(find_installation()) {
  const char* out = std::getenv("LVTEXT_OUT");
  if (out != nullptr && *out != '\0') runs = out;
}

const Registries& Session::registries() {
  if (!registries_) {
    auto built = std::make_unique<Registries>();
    register_all_models(*built);
    register_all_evaluators(*built);
    for (const auto& file : plugin_files) plugins_.push_back(load_plugin(file, *built));
    built->models.freeze();
    built->evaluators.freeze();
    registries_ = std::move(built);
  }
  return *registries_;
}

void Session::add_plugins(const std::vector<std::string>& files) {
  for (const auto& file : files) {
    if (std::find(plugin_files.begin(), plugin_files.end(), file) != plugin_files.end()) continue;
    LVT_ASSERT(!registries_, "the plug-in '" + file + "' comes after the registries were used");
    plugin_files.push_back(file);
  }
}

Recipe Session::recipe(const std::string& name, const std::string& profile,
                       const std::vector<std::string>& overrides) {
  RecipeRequest request{name, profile, "cpu", overrides, installation};
  Recipe recipe = load_recipe(request);
  // Looking for a GPU takes seconds, so it is done only where the answer matters.
  const Node* profiles = recipe.tree.find("profiles");
  if (profile.empty() && recipe.options.default_profile.empty() && profiles &&
      profiles->find("gpu") && cuda_available()) {
    request.fallback_profile = "gpu";
    recipe = load_recipe(request);
  }
  add_plugins(recipe.options.plugins);
  return recipe;
}

}  // namespace lvtext
