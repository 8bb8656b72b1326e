// Shared libraries that add components: framework/core/model/plugin.h from the program's
// side.
#pragma once

#include <filesystem>
#include <string>

#include "framework/core/model/registries.h"

namespace lvtext {

/// A plug-in that was requested.
struct PluginRequest {
  std::filesystem::path file;
  std::string origin;  ///< who asked, for messages: "--plugin a.so", "recipe.yaml: plugins: a.so"
};

/// Loads a shared library for the rest of the process and lets it add its components. Throws
/// MissingError if it is not there, DataError if it does not load, is no plug-in or was built for
/// another interface version, ConfigError if what it adds clashes with what is registered.
void load_plugin(const PluginRequest& request, Registries& registries);

/// The plug-ins that made a run and what it was made from, from their manifests (of a run that is
/// only begun, its description).
/// Each is the file of this name among `given` (as --plugin names them) or the one that made the
/// run, with a warning if that has changed since. Throws MissingError naming those that are not
/// there.
std::vector<PluginRequest> plugins_of_run(const std::filesystem::path& run,
                                          const std::vector<std::string>& given);

}  // namespace lvtext
