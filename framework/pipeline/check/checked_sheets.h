// Rating sheets of a recipe: their options, texts and rows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "framework/core/model/component.h"
#include "framework/core/options/errors.h"
#include "framework/pipeline/check/checked_data.h"
#include "framework/pipeline/check/checked_inputs.h"
#include "framework/pipeline/check/names.h"
#include "framework/pipeline/recipe/sheet_options.h"

namespace lvtext {

struct CheckedRecipe;

/// A sheet for human ratings of text.
struct CheckedSheet {
  std::string id;
  SheetOptions options;
  Configured kind;                     ///< its inputs are the texts of an item
  std::vector<CheckedInput> inputs;    ///< values of these inputs, the rated text last
  std::vector<std::string> rows = {};  ///< rated rows; empty: all
  /// For kinds that compare rows: the rows of each comparison; empty: every two of the rows.
  std::vector<std::vector<std::string>> compared = {};
  bool has_rows = true;  ///< texts of rows are rated
  /// Splits of data sets that are rated in addition, by name: values of the same inputs.
  std::vector<std::pair<std::string, std::vector<CheckedInput>>> data = {};
  bool is_written = false;  ///< true: defined by the recipe; false: a registered kind
};

/// Reads the sheets of the recipe, in both forms, and adds one of each other registered kind. The
/// result is sorted by id.
std::vector<CheckedSheet> read_sheets(const CheckContext& context, const DataSets& data,
                                      InputParser& inputs);

/// Sets the rows of each sheet, and checks the rows and aspects of the paper's numbers. Adds
/// mistakes to `errors` with their locations.
void check_sheets(CheckedRecipe& recipe, const Names& names, Errors& errors);

}  // namespace lvtext
