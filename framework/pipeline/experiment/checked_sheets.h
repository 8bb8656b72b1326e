// Rows that the rating sheets of a recipe refer to.
#pragma once

#include "framework/core/options/errors.h"

namespace lvtext {

struct CheckedRecipe;

/// Sets the rows of each sheet, and checks the rows and aspects of the paper's numbers. Adds
/// mistakes to `errors` with their locations.
void check_sheets(CheckedRecipe& recipe, Errors& errors);

}  // namespace lvtext
