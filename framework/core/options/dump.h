// An options tree as YAML.
#pragma once

#include <string>

#include "framework/core/options/node.h"

namespace lvtext {

/// YAML. With `origins`, each value ends in "# from recipes/x.yaml:14", or "# default" if it was
/// written nowhere.
std::string to_yaml(const Node& node, bool origins = false);

}  // namespace lvtext
