// Rating sheets of a recipe: their options, texts and rows.
#pragma once

#include <vector>

#include "framework/pipeline/check/checked_inputs.h"

namespace lvtext {

/// Reads the sheets of the recipe, in both forms, and adds one of each other registered kind. The
/// result is sorted by id.
std::vector<CheckedSheet> read_sheets(const CheckContext& context, const DataSets& data,
                                      InputParser& inputs);

/// Sets the rows of each sheet, and checks the rows and aspects of the paper's numbers. Adds
/// mistakes to `errors` with their locations.
void check_sheets(CheckedRecipe& recipe, const Names& names, Errors& errors);

}  // namespace lvtext
