// What the rating sheets of a recipe name.
#pragma once

#include "framework/core/options/errors.h"

namespace lvtext {

struct CheckedRecipe;

/// Fills in the rows of each sheet, and checks the rows and aspects of the paper's numbers; every
/// mistake goes to the errors, at its place.
void check_sheets(CheckedRecipe& recipe, Errors& errors);

}  // namespace lvtext
