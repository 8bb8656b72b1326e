// Loading of plug-ins, shared libraries that add components (framework/core/model/plugin.h).
#pragma once

#include <filesystem>
#include <string>

#include "framework/core/model/registries.h"

namespace lvtext {

/// A plug-in that was requested.
struct PluginRequest {
  std::filesystem::path file;
  std::string origin;     ///< for messages: "--plugin a.so", "recipe.yaml:3:11: plugins: a.so"
  std::string base = {};  ///< for messages: what relative paths are relative to, "the recipe"
};

/// Loads a shared library for the rest of the process and registers its components. Throws
/// MissingError if the file does not exist, DataError if it cannot be loaded, is not a plug-in or
/// was built for another interface version, ConfigError if a component cannot be registered (name
/// already registered or not lower_snake).
void load_plugin(const PluginRequest& request, Registries& registries);

/// The plug-ins that a run and its inputs were computed with, from their manifests (for unfinished
/// runs from node.json). Each is the file of that name among `given` (the --plugin files), else the
/// recorded file; logs a warning if its SHA-256 differs from the recorded one. Throws MissingError
/// listing the plug-ins whose files do not exist.
std::vector<PluginRequest> plugins_of_run(const std::filesystem::path& run,
                                          const std::vector<std::string>& given);

}  // namespace lvtext
