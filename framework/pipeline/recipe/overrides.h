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

/// A value for a path of a recipe's tree ("train.batch.size"), such as one of a sweep's space.
struct PathValue {
  std::string path;
  Node value;
  SourceLocation location;  ///< location of the path
};

/// Sets values in order, like overrides; mistakes are reported at their locations.
Node apply_values(Node tree, const std::vector<PathValue>& values, Errors& errors,
                  const std::vector<std::string>& keys = {});

/// Applies overrides in order. `train.x` also replaces the value of x in rows that set it. Errors
/// are added to `errors` with the location "command line, override N"; an override with an error
/// is not applied. `keys`: the allowed first keys; empty: any.
Node apply_overrides(Node tree, const std::vector<std::string>& overrides, Errors& errors,
                     const std::vector<std::string>& keys = {});

}  // namespace lvtext
