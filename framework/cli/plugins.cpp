#include "framework/cli/plugins.h"

#include <dlfcn.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/log.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/model/plugin.h"
#include "framework/pipeline/nodes/trained_run.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

// The address of something that the library exports. Throws DataError if it does not.
void* exported(void* library, const char* name, const std::string& origin) {
  void* found = dlsym(library, name);
  if (found == nullptr) {
    throw DataError(origin + ": is no plug-in of lvtext: it does not export " + name +
                    "; LVTEXT_PLUGIN of framework/core/model/plugin.h defines it");
  }
  return found;
}

// By name, the plug-ins of a run and of everything that it was made from. What is not there any
// more is left to what needs it.
void find_plugins(const fs::path& run, std::map<std::string, nlohmann::ordered_json>& found,
                  std::set<fs::path>& seen) {
  const auto description = read_run_description(run);
  if (!description || !seen.insert(run).second) return;
  for (const auto& plugin : description->value("plugins", nlohmann::ordered_json::array())) {
    found.emplace(plugin.value("name", ""), plugin);
  }
  for (const auto& [name, unused] : description->at("inputs").items()) {
    try {
      find_plugins(input_folder(run, name), found, seen);
    } catch (const MissingError&) {
      continue;
    }
  }
}

}  // namespace

void load_plugin(const PluginRequest& request, Registries& registries) {
  const std::string& origin = request.origin;
  std::string sha256;
  try {
    sha256 = sha256_file(request.file);
  } catch (const MissingError&) {
    throw MissingError(origin + ": there is no such file; give the path of a shared library (.so)");
  } catch (const Error& error) {
    throw Error(error.code(), origin + ": " + error.what());
  }
  // An absolute path: dlopen looks a bare name up in the system's folders.
  const fs::path file = fs::absolute(request.file).lexically_normal();
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    throw DataError(origin +
                    ": does not load: " + (reason != nullptr ? reason : "no reason given"));
  }
  using Interface = int (*)();
  const int version =
      reinterpret_cast<Interface>(exported(library, "lvtext_plugin_interface", origin))();
  if (version != kPluginInterface) {
    throw DataError(origin + ": was built for version " + std::to_string(version) +
                    " of the plug-in interface, and this program has version " +
                    std::to_string(kPluginInterface) +
                    "; compile it again with this program's "
                    "headers (find_package(lvtext))");
  }
  using Register = void (*)(Registries&);
  const auto enter = reinterpret_cast<Register>(exported(library, "lvtext_register", origin));
  registries.loading = std::make_shared<const Plugin>(
      Plugin{file.filename().string(), file.string(), sha256, version});
  try {
    enter(registries);
  } catch (const std::logic_error& error) {  // a name that is taken, or is not lower_snake
    throw ConfigError(origin + ": " + error.what());
  }
  registries.loading.reset();
}

std::vector<PluginRequest> plugins_of_run(const fs::path& run,
                                          const std::vector<std::string>& given) {
  std::vector<PluginRequest> requests;
  std::string missing;
  std::map<std::string, nlohmann::ordered_json> plugins;
  std::set<fs::path> seen;
  find_plugins(run, plugins, seen);
  for (const auto& [name, plugin] : plugins) {
    const std::string recorded = plugin.value("file", "");
    fs::path file = recorded;
    for (const auto& each : given) {
      if (fs::path(each).filename() == name) file = each;
    }
    std::error_code failed;
    if (!fs::is_regular_file(file, failed)) {
      missing += "\n  '" + name + "': not at '" + recorded + "', where it was; give --plugin FILE";
    } else if (sha256_file(file) != plugin.value("sha256", "")) {
      log_warning("the plug-in '" + file.string() + "' is not the one that made '" + run.string() +
                  "': its SHA-256 differs");
    }
    requests.push_back({file, run.string() + ": plug-in " + name});
  }
  if (!missing.empty()) {
    throw MissingError("'" + run.string() + "' was made with a plug-in that is missing:" + missing);
  }
  return requests;
}

}  // namespace lvtext
