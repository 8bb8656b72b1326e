// `key.path=value` from the command line, laid on a recipe's tree.
#pragma once

#include <string>
#include <vector>

#include "framework/core/options/errors.h"
#include "framework/core/options/node.h"

namespace lvtext {

/// Applies overrides in their order. `train.x` also replaces what rows set for x. Mistakes go to
/// `errors` with the place "command line, override N"; that override is then left out.
Node apply_overrides(Node tree, const std::vector<std::string>& overrides, Errors& errors);

}  // namespace lvtext
