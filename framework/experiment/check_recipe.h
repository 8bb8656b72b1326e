// The parts of a recipe that belong to components, checked before anything is started.
#pragma once

#include "framework/model/registries.h"
#include "framework/options/recipe.h"

namespace lvtext {

/// Checks the data block, the names and options of every row's model, of every row's `train` block,
/// of every evaluator and its language model, and the ids that table and checks name. A row without
/// `model` stands for real data. Every mistake goes to the errors.
void check_components(const Recipe& recipe, const Registries& registries, Errors& errors);

}  // namespace lvtext
