#include "framework/cli/session.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "evaluators/register.h"
#include "framework/core/model/registries.h"
#include "framework/core/tensor/device.h"
#include "framework/pipeline/check/checked_recipe.h"
#include "framework/pipeline/check/inline_models.h"
#include "framework/pipeline/figures/register.h"
#include "framework/pipeline/inference/register.h"
#include "framework/pipeline/plan/experiment.h"
#include "framework/pipeline/rating/kinds/register.h"
#include "framework/pipeline/results/report_request.h"
#include "framework/pipeline/runs/run_name.h"
#include "models/register.h"

namespace lvtext {

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
    registries_ = std::make_unique<Registries>();
    register_all_models(*registries_);
    register_all_evaluators(*registries_);
    register_all_inference(*registries_);
    register_all_figures(*registries_);
    register_all_sheets(*registries_);
    run_finder() = [this](const std::string& name) { return finished_model(name); };
    for (const auto& file : plugin_files) add_plugin({file, "--plugin " + file});
  }
  return *registries_;
}

void Session::add_plugin(const PluginRequest& request) {
  registries();
  std::error_code failed;  // load_plugin reports a missing file
  const auto file = std::filesystem::weakly_canonical(request.file, failed);
  if (loaded_.insert(file).second) load_plugin(request, *registries_);
}

std::filesystem::path Session::finished_model(const std::string& name) {
  const FoundRun run = find_model(name, runs);
  if (!run.finished() || run.without_weights) {
    throw MissingError("'" + run.name() + "' is not finished" +
                       (run.without_weights ? " with weights" : "") + "; run its recipe first");
  }
  std::error_code failed;
  if (!std::filesystem::equivalent(run.folder.parent_path(), runs, failed)) {
    throw MissingError("'" + run.folder.string() + "' is not in the folder of runs '" +
                       runs.string() + "'; add it with `lvtext runs import " +
                       run.folder.parent_path().string() + "`");
  }
  add_plugins_of_run(run.folder);
  return run.folder;
}

void Session::add_plugins_of_run(const std::filesystem::path& run) {
  for (const auto& request : plugins_of_run(run, plugin_files)) add_plugin(request);
}

CheckedRecipe Session::recipe(const std::string& name, const std::string& profile,
                              const std::vector<std::string>& overrides) {
  RecipeRequest request{name, profile, "cpu", overrides, installation};
  auto errors = std::make_unique<Errors>();
  Recipe recipe = load_recipe(request, *errors);
  // Detecting a GPU takes seconds, so it is done only if the result matters.
  const Node* profiles = recipe.tree.find("profiles");
  if (profile.empty() && recipe.options.default_profile.empty() && profiles &&
      profiles->find("gpu") && device_class("auto") == "cuda") {
    request.fallback_profile = "gpu";
    errors = std::make_unique<Errors>();
    recipe = load_recipe(request, *errors);
  }
  if (const Node* plugins = recipe.tree.find("plugins"); !recipe.options.plugins.empty()) {
    const auto folder = std::filesystem::path(recipe.file).parent_path();
    // One file may stand without a list.
    for (const Node& file : plugins->is_sequence() ? plugins->items() : std::vector{*plugins}) {
      add_plugin({folder / file.text(), file.location().text() + ": plugins: " + file.text(),
                  "the recipe"});
    }
  }
  CheckedRecipe checked = check_recipe(recipe, registries(), *errors);
  errors->throw_if_any();
  return checked;
}

void Session::check_profiles(const CheckedRecipe& checked) {
  const auto mistakes = [&](const std::string& profile, const std::vector<std::string>& overrides) {
    Errors errors;
    try {
      const CheckedRecipe other = check_recipe(
          load_recipe({checked.recipe.file, profile, "", overrides, installation}, errors),
          registries(), errors);
      // The graph has the hashes of own files, which may be large.
      const bool has_files =
          std::any_of(other.data.begin(), other.data.end(),
                      [](const CheckedData& data) { return !data.block.source.train.empty(); });
      if (errors.empty() && !has_files) {
        build_experiment(other, registries(), {.max_nodes = std::numeric_limits<size_t>::max()});
      }
    } catch (const ConfigError& error) {
      return std::string(error.what());
    } catch (const UsageError& error) {
      return std::string(error.what());
    } catch (const Error&) {  // likewise, found when the graph is built
      return std::string();
    }
    // Files and runs that do not exist matter only to a run of this profile.
    return errors.has_config_errors() ? errors.report() : "";
  };
  std::string reports;
  for (const auto& [profile, layer] : checked.recipe.options.profiles) {
    if (profile == checked.recipe.profile) continue;
    std::string found = mistakes(profile, checked.recipe.overrides);
    if (!found.empty() && !checked.recipe.overrides.empty()) found = mistakes(profile, {});
    if (!found.empty()) reports += "in the profile " + profile + ":\n" + found + "\n";
  }
  if (reports.empty()) return;
  reports.pop_back();
  throw ConfigError(reports);
}

std::filesystem::path Session::report_folder(const Experiment& experiment,
                                             const ExperimentRequest& request) const {
  return report.empty() ? "reports" / report_name(experiment, request) : report;
}

}  // namespace lvtext
