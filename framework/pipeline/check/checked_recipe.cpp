#include "framework/pipeline/check/checked_recipe.h"

#include <utility>

#include "framework/pipeline/check/names.h"

namespace lvtext {

CheckedRecipe check_recipe(const Recipe& recipe, const Registries& registries, Errors& errors) {
  const CheckContext context{recipe, registries, errors};
  const DataSets data(recipe.options, errors);
  const CheckedTrain train = read_train(context);
  const Names names(context);
  References references(context, data, names);
  InputParser inputs(context, data, references, train.options);
  CheckedEntries entries = read_entries(context, data, references, inputs, train);
  CheckedRows rows = read_rows(context, references, inputs, entries);
  CheckedRecipe checked{.recipe = recipe, .data = data.all(), .train = train.options};
  checked.metrics = read_metrics(context, names, inputs);
  checked.selects = read_selects(context, names, rows.rows, checked.metrics);
  checked.figures = read_figures(context, names, inputs);
  checked.sheets = read_sheets(context, data, inputs);
  // Errors may be the reason why a value has no use.
  if (!errors.has_config_errors()) report_unused(context, rows);
  checked.tokenizers = std::move(entries.tokenizers);
  checked.entries = std::move(entries.entries);
  checked.rows = std::move(rows.rows);
  checked.tables = check_tables(checked, names, errors);
  check_figures(checked, names, errors);
  check_sheets(checked, names, errors);
  check_fillers(checked, errors);
  return checked;
}

CheckedRecipe check_recipe(const Recipe& recipe, const Registries& registries) {
  Errors errors;
  CheckedRecipe checked = check_recipe(recipe, registries, errors);
  errors.throw_if_any();
  return checked;
}

}  // namespace lvtext
