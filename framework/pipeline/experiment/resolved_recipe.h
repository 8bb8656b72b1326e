// A recipe that says everything itself.
#pragma once

#include "framework/pipeline/experiment/checked_recipe.h"

namespace lvtext {

/// The recipe with profile, overrides and defaults in it, as a recipe: it makes the same nodes.
/// The profile that was chosen stays as an empty one, for its name. What is laid on something else
/// when it is read (`train` of a row or of a language model, optimizers beside `default`) stays as
/// it is written.
Node resolved_recipe(const CheckedRecipe& recipe, const Registries& registries);

}  // namespace lvtext
