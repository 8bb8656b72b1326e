// Rows of a recipe: their models, given values and generated texts.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "framework/pipeline/check/checked_entries.h"

namespace lvtext {

/// Rows, and their values that no input uses.
struct CheckedRows {
  std::vector<CheckedRow> rows;  ///< in the order of the file
  /// Path, name and location in the recipe.
  std::vector<std::tuple<std::string, std::string, SourceLocation>> unused;
};

/// Reads `rows` or, without it, a row for each entry of `models`.
CheckedRows read_rows(const CheckContext& context, References& references, InputParser& inputs,
                      const CheckedEntries& entries);

/// Adds errors for values of rows that the inputs reading them cannot use: several values for an
/// input that takes one, and all splits of a set for an input that reads one.
void check_fillers(const CheckedRecipe& recipe, Errors& errors);

/// Adds an error for each value of a row that no input uses.
void report_unused(const CheckContext& context, const CheckedRows& rows);

}  // namespace lvtext
