// A recipe whose options, including those of its components, are parsed and validated.
#pragma once

#include <memory>
#include <vector>

#include "framework/core/model/registries.h"
#include "framework/core/options/errors.h"
#include "framework/pipeline/check/checked_data.h"
#include "framework/pipeline/check/checked_entries.h"
#include "framework/pipeline/check/checked_figures.h"
#include "framework/pipeline/check/checked_inputs.h"
#include "framework/pipeline/check/checked_metrics.h"
#include "framework/pipeline/check/checked_references.h"
#include "framework/pipeline/check/checked_rows.h"
#include "framework/pipeline/check/checked_selects.h"
#include "framework/pipeline/check/checked_sheets.h"
#include "framework/pipeline/check/checked_tables.h"
#include "framework/pipeline/check/find_entry.h"
#include "framework/pipeline/recipe/recipe.h"
#include "trainers/options.h"

namespace lvtext {

struct CheckedRecipe {
  Recipe recipe;
  std::vector<CheckedData> data;  ///< data sets in the order of the file
  std::vector<CheckedTokenizer> tokenizers;
  TrainOptions train;
  std::vector<std::shared_ptr<const CheckedEntry>> entries;  ///< artifacts, then models
  std::vector<CheckedRow> rows;                              ///< rows in the order of the file
  std::vector<CheckedMetric> metrics;                        ///< metrics in the order of `evaluate`
  std::vector<CheckedSelect> selects;
  std::vector<CheckedFigure> figures;
  std::vector<CheckedSheet> sheets;  ///< sheets of the recipe, and one of each other kind, by id
  std::vector<CheckedTable> tables;  ///< at least one table; the first is that of the report
};

/// Parses the data block, every row's model, training and generation, every evaluator and figure
/// with their inputs, and checks the ids in tables and checks. A row without `model` has given
/// texts. Adds all mistakes to `errors`; the result is valid only if there are none. `registries`
/// must outlive the result.
CheckedRecipe check_recipe(const Recipe& recipe, const Registries& registries, Errors& errors);

/// The same; throws what Errors::throw_if_any() throws.
CheckedRecipe check_recipe(const Recipe& recipe, const Registries& registries);

}  // namespace lvtext
