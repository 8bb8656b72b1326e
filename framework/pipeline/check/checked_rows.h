// Rows of a recipe: their models, given values and generated texts.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "framework/core/options/errors.h"
#include "framework/core/options/node.h"
#include "framework/pipeline/check/checked_entries.h"
#include "framework/pipeline/check/checked_inputs.h"
#include "framework/pipeline/check/checked_references.h"
#include "framework/pipeline/check/names.h"

namespace lvtext {

struct CheckedRecipe;

/// A row of results: a model, or given texts.
struct CheckedRow {
  std::string id, label;
  std::string reason;                                   ///< why it is not run; empty: it is
  std::shared_ptr<const CheckedEntry> entry;            ///< model; null: the texts are given
  std::map<std::string, std::vector<Filling>> fillers;  ///< given values by name
  /// Texts that are generated on demand, by name.
  std::map<std::string, std::shared_ptr<const InlineComponent>> generation;
};

/// True if a row has a value of this name, given or generated, which fills the inputs of this name
/// that an entry does not write.
bool has_value(const CheckedRow& row, const std::string& name);

/// Rows, and their values that no input uses.
struct CheckedRows {
  std::vector<CheckedRow> rows;  ///< rows in the order of the file
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
