#include "framework/cli/plugins.h"

#include <dlfcn.h>
#include <elf.h>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "framework/core/base/crash.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/log.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/model/plugin.h"
#include "framework/pipeline/store/trained_run.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

// Address of an exported symbol. Throws DataError if the library does not export it.
void* exported(void* library, const char* name, const std::string& origin) {
  void* found = dlsym(library, name);
  if (found == nullptr) {
    throw DataError(origin + ": is not a plug-in of lvtext: it does not export " + name +
                    "; define it with LVTEXT_PLUGIN of framework/core/model/plugin.h");
  }
  return found;
}

// Throws DataError for a shared library that is cut off: loading it would end the process with
// SIGBUS. Files of other kinds are left to dlopen.
void check_is_whole(const fs::path& file, const std::string& origin) {
  const std::string content = read_file(file);
  const uint64_t size = content.size();
  const auto contains = [size](uint64_t at, uint64_t bytes) {
    return at <= size && bytes <= size - at;
  };
  Elf64_Ehdr header{};
  if (!content.starts_with(ELFMAG)) return;
  bool whole = size >= sizeof header;
  if (whole) std::memcpy(&header, content.data(), sizeof header);
  whole = whole && contains(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr)) &&
          contains(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  for (size_t i = 0; whole && i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    std::memcpy(&segment, content.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    whole = contains(segment.p_offset, segment.p_filesz);
  }
  if (whole) return;
  throw DataError(origin + ": the file is cut off after " + std::to_string(size) +
                  " bytes; copy or compile it again");
}

// Collects the plug-ins of a run and of all its inputs by name. Missing inputs are skipped; the
// code that needs them reports them.
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
    throw MissingError(origin + ": there is no file '" +
                       fs::absolute(request.file).lexically_normal().string() +
                       "'; give the path of a shared library (.so)" +
                       (request.base.empty() ? "" : ", relative to " + request.base));
  } catch (const Error& error) {
    throw Error(error.code(), origin + ": " + error.what());
  }
  // An absolute path: dlopen searches bare names in the system's folders.
  const fs::path file = fs::absolute(request.file).lexically_normal();
  check_is_whole(file, origin);
  const CrashNote note("loading the plug-in '" + file.string() + "'");
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    throw DataError(origin +
                    ": cannot be loaded: " + (reason != nullptr ? reason : "no reason given"));
  }
  using Interface = int (*)();
  const int version =
      reinterpret_cast<Interface>(exported(library, "lvtext_plugin_interface", origin))();
  if (version != kPluginInterface) {
    throw DataError(origin + ": was built for version " + std::to_string(version) +
                    " of the plug-in interface, this program has version " +
                    std::to_string(kPluginInterface) +
                    "; recompile it with this program's "
                    "headers (find_package(lvtext))");
  }
  using Register = void (*)(Registries&);
  const auto enter = reinterpret_cast<Register>(exported(library, "lvtext_register", origin));
  registries.loading = std::make_shared<const Plugin>(
      Plugin{file.filename().string(), file.string(), sha256, version});
  try {
    enter(registries);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {  // name already registered, or not lower_snake
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
      missing +=
          "\n  '" + name + "': no longer at '" + recorded + "'; give its path with --plugin FILE";
    } else if (sha256_file(file) != plugin.value("sha256", "")) {
      log_warning("the plug-in '" + file.string() + "' has changed since '" + run.string() +
                  "' was computed: its SHA-256 differs");
    }
    requests.push_back({file, run.string() + ": plug-in " + name});
  }
  if (!missing.empty()) {
    throw MissingError("'" + run.string() +
                       "' was computed with plug-ins that are missing:" + missing);
  }
  return requests;
}

}  // namespace lvtext
