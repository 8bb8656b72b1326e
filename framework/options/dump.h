// An options tree as text.
#pragma once

#include <string>

#include "framework/options/node.h"

namespace lvtext {

/// JSON text with sorted keys, no blanks, shortest round-trip numbers: the form that is hashed.
/// What is null is left out: a new option that is unset leaves the identities of all runs as they
/// were.
std::string canonical_json(const Node& node);
/// JSON text in the order of the tree, indented by two.
std::string pretty_json(const Node& node);
/// YAML. With `origins`, each value ends in "# from recipes/x.yaml:14", or "# default" if it was
/// written nowhere.
std::string to_yaml(const Node& node, bool origins = false);

}  // namespace lvtext
