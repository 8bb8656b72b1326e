// The shared library that a component comes from.
#pragma once

#include <string>

namespace lvtext {

/// As the manifests of its runs store it.
struct Plugin {
  std::string name;  ///< file name without folder
  std::string file;  ///< absolute path
  std::string sha256;
  int interface_version = 0;
};

}  // namespace lvtext
