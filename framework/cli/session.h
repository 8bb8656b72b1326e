// What the commands of one process share.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "framework/cli/plugins.h"
#include "framework/core/base/error.h"
#include "framework/core/data/fetch.h"
#include "framework/core/model/registries.h"

namespace lvtext {

struct CheckedRecipe;
struct Experiment;
struct ExperimentRequest;

/// Settings of the command line, and what is built from them when a command first needs it.
class Session {
 public:
  bool json = false;
  std::vector<std::string> plugin_files;  ///< --plugin
  std::filesystem::path runs;             ///< LVTEXT_OUT, else ./runs
  std::filesystem::path report;           ///< --report: the folder of the report, or empty
  std::filesystem::path installation;     ///< share/lvtext, or empty
  Exit result = Exit::kDone;              ///< what a command that ends well returns

  /// Reads the environment and finds the installation.
  Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Models and evaluators, those of the plug-ins included; built at the first call. Plug-ins of
  /// recipes and runs join them when those are read.
  const Registries& registries();
  /// Loads the plug-ins that made a run (plugins_of_run), as far as they are not loaded yet.
  void add_plugins_of_run(const std::filesystem::path& run);

  /// A recipe from the command line; without a profile, and where the recipe has no default, "gpu"
  /// on a machine with a GPU and "cpu" elsewhere. Its plug-ins are loaded. Throws what load_recipe
  /// throws, and ConfigError with all mistakes of its shape and its components.
  CheckedRecipe recipe(const std::string& name, const std::string& profile,
                       const std::vector<std::string>& overrides);
  /// Where a report stands: --report, else its name below ./reports.
  std::filesystem::path report_folder(const Experiment& experiment,
                                      const ExperimentRequest& request) const;
  /// Where ratings stand: with the report of all rows, as a sheet holds rows of its own choice.
  std::filesystem::path ratings_home(const Experiment& experiment) const;

 private:
  void add_plugin(const PluginRequest& request);

  std::unique_ptr<Registries> registries_;
  std::set<std::filesystem::path> loaded_;  // plug-ins, however they were spelled
};

}  // namespace lvtext
