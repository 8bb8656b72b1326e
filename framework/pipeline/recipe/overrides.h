// Command-line overrides, `key.path=value`.
#pragma once

#include <string>
#include <vector>

#include "framework/core/options/errors.h"
#include "framework/core/options/node.h"

namespace lvtext {

/// Applies overrides in order. `train.x` also replaces the values of x in rows. Adds mistakes to
/// `errors` with the location "command line, override N" and ignores that override.
Node apply_overrides(Node tree, const std::vector<std::string>& overrides, Errors& errors);

}  // namespace lvtext
