// Options trees as JSON values and back, without text in between.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "framework/core/options/node.h"

namespace lvtext {

/// The tree with sorted keys: the form that identities are computed from. Keys whose value is null
/// are left out, so that a new option that is unset leaves the identities of all runs as they were.
nlohmann::json canonical_json(const Node& node);
/// The tree in its own order, nulls included.
nlohmann::ordered_json to_json(const Node& node);

/// The tree that a JSON value holds; `name` names its source in errors.
Node node_of_json(const nlohmann::ordered_json& json, const std::string& name);

}  // namespace lvtext
