// The resolved form of a recipe.
#pragma once

#include "framework/pipeline/experiment/checked_recipe.h"

namespace lvtext {

/// The recipe with profile, overrides and defaults merged in, as a recipe that gives the same
/// nodes. The selected profile is kept as an empty one, for its name. Values that are merged with
/// others when they are read (`train` of a row or of a language model, optimizers other than
/// `default`) are kept as written.
Node resolved_recipe(const CheckedRecipe& checked, const Registries& registries);

}  // namespace lvtext
