// Writes an options tree as YAML.
#pragma once

#include <string>

#include "framework/core/options/node.h"

namespace lvtext {

/// The tree as YAML. With `origins`, each value is followed by "# from recipes/x.yaml:14", or
/// "# default".
std::string to_yaml(const Node& node, bool origins = false);

}  // namespace lvtext
