// The recipe that `config` prints.
#pragma once

#include "framework/pipeline/check/checked_recipe.h"

namespace lvtext {

/// The recipe with profile, overrides and defaults merged in, as a recipe that gives the same
/// nodes: every option has the value with which it is computed, null only if it is off. The
/// selected profile is kept as an empty one, for its name; entries that it removed are in
/// `not_run`. Not printed are values that depend on the row: seed, device and `deterministic` of
/// trainings that inherit them, and the seed and the number of generated texts.
Node printed_recipe(const CheckedRecipe& checked, const Registries& registries);

}  // namespace lvtext
