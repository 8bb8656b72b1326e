// Rows of a recipe: their models, given values and generated texts.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "framework/pipeline/experiment/checked_entries.h"

namespace lvtext {

/// Rows, and their values that no input uses.
struct CheckedRows {
  std::vector<CheckedRow> rows;  ///< in the order of the file
  /// Path, name and location in the recipe.
  std::vector<std::tuple<std::string, std::string, SourceLocation>> unused;
};

/// Reads `rows` or, without it, a row for each entry of `models`.
CheckedRows read_rows(const CheckContext& context, References& references, InputReader& inputs,
                      const CheckedEntries& entries);

/// Adds an error for each value of a row that no input uses.
void report_unused(const CheckContext& context, const CheckedRows& rows);

}  // namespace lvtext
