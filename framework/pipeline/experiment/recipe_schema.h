// The JSON Schema of recipes, for editors and validators.
#pragma once

#include <nlohmann/json.hpp>

#include "framework/core/model/registries.h"

namespace lvtext {

/// JSON Schema (draft 2020-12) of a whole recipe with everything that is registered. What it
/// refuses, check_recipe() refuses too; what concerns several keys only the latter sees.
nlohmann::ordered_json recipe_schema(const Registries& registries);

}  // namespace lvtext
