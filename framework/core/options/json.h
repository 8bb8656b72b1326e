// Converts options trees to JSON values and back.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "framework/core/options/node.h"

namespace lvtext {

/// The tree with sorted keys, the form that identities are computed from. Keys with the value null
/// are omitted, so that a new unset option does not change the identities of existing runs.
nlohmann::json canonical_json(const Node& node);
/// The tree in its own order, including nulls.
nlohmann::ordered_json to_json(const Node& node);

/// The tree of a JSON value; `name`: name of its source in errors.
Node node_of_json(const nlohmann::ordered_json& json, const std::string& name);

}  // namespace lvtext
