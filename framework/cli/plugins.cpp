#include "framework/cli/plugins.h"

#include <dlfcn.h>

#include <stdexcept>

#include "framework/base/error.h"
#include "framework/base/hash.h"

namespace lvtext {

Plugin load_plugin(const std::filesystem::path& file, Registries& registries) {
  const std::string place = "--plugin " + file.string() + ": ";
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed)) {
    throw MissingError(place + "there is no such file; give the path of a shared library (.so)");
  }
  // An absolute path: dlopen looks a bare name up in the system's folders.
  const std::string path = std::filesystem::absolute(file).string();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    throw DataError(place + "does not load: " + (reason != nullptr ? reason : "no reason given"));
  }
  using Register = void (*)(Registries*, int);
  const auto enter = reinterpret_cast<Register>(dlsym(library, "lvtext_register"));
  if (enter == nullptr) {
    throw DataError(place + "is no plug-in: it does not define "
                    "extern \"C\" void lvtext_register(lvtext::Registries*, int)");
  }
  try {
    enter(&registries, kPluginInterface);
  } catch (const std::logic_error& error) {  // a name that is taken, or is not lower_snake
    throw ConfigError(place + error.what());
  }
  return {file.filename().string(), sha256_file(file), kPluginInterface};
}

}  // namespace lvtext
