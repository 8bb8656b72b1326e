#include "framework/pipeline/check/checked_recipe.h"

#include <algorithm>
#include <utility>

#include "framework/core/base/strings.h"
#include "framework/core/options/mapping.h"
#include "framework/pipeline/check/checked_metrics.h"
#include "framework/pipeline/check/checked_rows.h"
#include "framework/pipeline/check/checked_selects.h"
#include "framework/pipeline/check/checked_sheets.h"

namespace lvtext {

const std::vector<EnumName<InitRows>>& enum_names(InitRows) {
  static const std::vector<EnumName<InitRows>> names = {
      {"equal", InitRows::kEqual, "refused"},
      {"extend", InitRows::kExtend,
       "the first rows are initialized from that row, the others at random"}};
  return names;
}

Node with_model_defaults(const RecipeOptions& recipe, const Node& own, const Schema& schema) {
  std::vector<Node::Entry> defaults;
  for (const Node::Entry& entry : recipe.model_defaults.entries()) {
    for (const FieldSchema& field : schema.fields) {
      if (field.key == entry.key) defaults.push_back(entry);
    }
  }
  return defaults.empty() ? own : merge(Node::mapping(std::move(defaults), own.location()), own);
}

bool CheckedModel::uses_row() const {
  const auto is_of_row = [](const std::optional<KnownReference>& named) {
    return named && named->of == KnownReference::Of::kRow;
  };
  return is_of_row(text) || is_of_row(validate_on);
}

bool uses_row(const std::vector<CheckedInput>& inputs) {
  const auto of_row = [](const Filling& filling) {
    if (const auto* reference = std::get_if<KnownReference>(&filling)) {
      return reference->of == KnownReference::Of::kRow;
    }
    if (const auto* model = std::get_if<CheckedModel>(&filling)) return model->uses_row();
    return uses_row(std::get<std::shared_ptr<const InlineComponent>>(filling)->inputs);
  };
  return std::any_of(inputs.begin(), inputs.end(), [&](const CheckedInput& input) {
    return std::any_of(input.fillings.begin(), input.fillings.end(), of_row);
  });
}

bool has_value(const CheckedRow& row, const std::string& name) {
  return row.fillers.contains(name) || row.generation.contains(name);
}

bool uses_row(const CheckedMetric& metric, const std::vector<CheckedRow>& rows) {
  const ScoresOf of = metric.evaluator.component->scores_of;
  const bool combines = std::any_of(
      metric.inputs.begin(), metric.inputs.end(),
      [](const CheckedInput& input) { return input.decl.type == ArtifactType::kScores; });
  const auto is_filled_by_row = [&](const CheckedInput& input) {
    return !input.is_written && std::any_of(rows.begin(), rows.end(), [&](const CheckedRow& row) {
      const bool is_own = metric.rows.empty() || contains(metric.rows, row.id);
      return is_own && has_value(row, input.decl.name);
    });
  };
  return of == ScoresOf::kEachRow || metric.across_checkpoints ||
         (of == ScoresOf::kRow &&
          (combines || uses_row(metric.inputs) ||
           std::any_of(metric.inputs.begin(), metric.inputs.end(), is_filled_by_row)));
}

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
