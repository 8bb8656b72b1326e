// The JSON Schema of recipes, for editors and validators.
#pragma once

#include <nlohmann/json.hpp>

#include "framework/core/model/registries.h"

namespace lvtext {

/// JSON Schema (draft 2020-12) of a recipe with all registered components. check_recipe() rejects
/// every recipe that the schema rejects, and also checks conditions on several keys.
nlohmann::ordered_json recipe_schema(const Registries& registries);

}  // namespace lvtext
