// The shared library of a plug-in component.
#pragma once

#include <string>

namespace lvtext {

/// A plug-in file, as stored in the manifests of runs.
struct Plugin {
  std::string name;  ///< file name without folder
  std::string file;  ///< absolute path
  std::string sha256;
  int interface_version = 0;
};

}  // namespace lvtext
