// Applies overrides `key.path=value` from the command line to a recipe's tree.
#pragma once

#include <string>
#include <vector>

#include "framework/core/options/errors.h"
#include "framework/core/options/node.h"

namespace lvtext {

/// True for the keys of a recipe that neither a profile nor an override can set: lvtext, base and
/// profiles.
bool is_fixed_key(const std::string& key);

/// Applies overrides in order. `train.x` also replaces the value of x in rows that set it. Errors
/// are added to `errors` with the location "command line, override N"; an override with an error
/// is not applied. `keys`: the allowed first keys; empty: any.
Node apply_overrides(Node tree, const std::vector<std::string>& overrides, Errors& errors,
                     const std::vector<std::string>& keys = {});

}  // namespace lvtext
