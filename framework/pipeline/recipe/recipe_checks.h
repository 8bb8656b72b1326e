// Checks of a recipe's form: names, ids and sections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/recipe/recipe.h"

namespace lvtext {

/// The top-level keys that profiles and overrides can set.
std::vector<std::string> changeable_keys();
/// Parses an integer from 1 to kMaxSeeds; none if the node is something else.
std::optional<int64_t> seed_count(const Node& node);

/// Checks the names and the top-level keys of all profiles, including those not selected.
void check_profiles(const Node& profiles, Errors& errors);
/// Checks the form of all sections of a recipe.
void check_recipe(const Recipe& recipe, Errors& errors);

}  // namespace lvtext
