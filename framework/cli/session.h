// State shared by the commands of one process.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "framework/cli/plugins.h"
#include "framework/core/base/error.h"
#include "framework/core/model/registries.h"
#include "framework/core/sources/fetch.h"

namespace lvtext {

struct CheckedRecipe;
struct Experiment;
struct ExperimentRequest;

/// Settings of the command line, and the registries, built on first use.
class Session {
 public:
  bool json = false;
  std::vector<std::string> plugin_files;  ///< --plugin
  std::filesystem::path runs;             ///< `--out`, else LVTEXT_OUT, else ./runs
  std::filesystem::path report;           ///< --report: the folder of the report, or empty
  std::filesystem::path installation;     ///< share/lvtext of the installation, or empty
  Exit result = Exit::kDone;              ///< exit code of a command that does not throw
  std::string plugin_component;           ///< the model in use, if a plug-in has it, for messages

  /// Reads the environment and finds the installation.
  Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// All components, including those of --plugin files; built on the first call. Plug-ins of
  /// recipes and runs are added when these are read.
  const Registries& registries();
  /// Loads the plug-ins of a run (plugins_of_run) that are not loaded yet.
  void add_plugins_of_run(const std::filesystem::path& run);

  /// Loads and checks a recipe and loads its plug-ins. If neither `profile` nor the recipe's
  /// default is set, the profile is "gpu" on a machine with a GPU, else "cpu". Throws what
  /// load_recipe throws, and ConfigError with all errors in its structure and components.
  CheckedRecipe recipe(const std::string& name, const std::string& profile,
                       const std::vector<std::string>& overrides);
  /// Checks all other profiles of a recipe too, so that their mistakes are found before a job is
  /// started with them. Throws ConfigError with those that the overrides do not cause.
  void check_profiles(const CheckedRecipe& checked);
  /// The folder of a report: --report, else its name below ./reports. Ratings are in that of all
  /// rows, an empty request, since a sheet has its own selection of rows.
  std::filesystem::path report_folder(const Experiment& experiment,
                                      const ExperimentRequest& request) const;

 private:
  void add_plugin(const PluginRequest& request);
  std::filesystem::path finished_model(const std::string& name);

  std::unique_ptr<Registries> registries_;
  std::set<std::filesystem::path> loaded_;  // canonical paths of loaded plug-ins
};

}  // namespace lvtext
