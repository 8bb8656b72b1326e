// Shared libraries that add models and evaluators.
#pragma once

#include <filesystem>
#include <string>

#include "framework/model/registries.h"

namespace lvtext {

/// Version of the interface between the program and its plug-ins, handed to a plug-in's entry point
/// `extern "C" void lvtext_register(lvtext::Registries*, int abi_version)`.
inline constexpr int kPluginInterface = 1;

/// A loaded plug-in, as a run's manifest stores it.
struct Plugin {
  std::string name;  ///< file name without folder
  std::string sha256;
  int interface_version = kPluginInterface;
};

/// Loads a shared library for the rest of the process and lets it add its components. Throws
/// MissingError if it is not there, DataError if it does not load or has no entry point, ConfigError
/// if what it adds clashes with what is registered.
Plugin load_plugin(const std::filesystem::path& file, Registries& registries);

}  // namespace lvtext
