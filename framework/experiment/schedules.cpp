#include "framework/experiment/schedules.h"

#include <cstdlib>

#include "framework/nodes/train_nodes.h"

namespace lvtext {
namespace {

/// A scalar's number; none for a missing value or another kind.
std::optional<double> number_of(const Node* node) {
  if (!node || !node->is_scalar() || node->quoted()) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(node->text().c_str(), &end);
  return end == node->text().c_str() ? std::nullopt : std::optional<double>(number);
}

}  // namespace

std::vector<std::pair<std::string, double>> options_in_updates(const Schema& schema,
                                                               const Node& options,
                                                               const std::string& prefix) {
  std::vector<std::pair<std::string, double>> found;
  for (const auto& field : schema.fields) {
    const Node* value = options.find(field.key);
    if (!value) continue;
    const std::string path = prefix + field.key;
    const TypeSchema* type = &field.type;
    while (type->kind == TypeSchema::Kind::kOptional) type = &type->element.front();
    if (type->kind == TypeSchema::Kind::kStruct) {
      const auto below = options_in_updates(Schema{type->fields}, *value, path + ".");
      found.insert(found.end(), below.begin(), below.end());
    } else if (field.rules.unit == "updates") {
      if (const auto number = number_of(value)) found.emplace_back(path, *number);
    }
  }
  return found;
}

std::vector<ScaledOption> scaled_options(const Experiment& experiment, const GraphStatus& status,
                                         const Registries& registries,
                                         std::vector<std::string>* unknown) {
  std::vector<ScaledOption> result;
  const NodeStatus& pack = status.at(experiment.data.packs.at("train"));
  for (const auto& row : experiment.rows) {
    if (row.trained.empty()) continue;
    const Node& node = experiment.recipe.row(row.id);
    const std::string& model = node.find("model")->text();
    const ModelEntry& entry = registries.models.get(model);
    const Node options = model_options(node);
    const auto train = read_train_options(experiment.recipe.row_train(row.id));
    const auto written = options_in_updates(entry.about.schema, entry.canonical(options));
    if (!train.schedules_for || written.empty()) continue;
    if (pack.state != NodeState::kFinished) {
      if (unknown) unknown->push_back(row.label);
      continue;
    }
    const auto planned = planned_updates(entry, options, train, pack.folder);
    const double rate = static_cast<double>(planned.value()) / train.schedules_for->amount;
    for (const auto& [path, updates] : written) {
      result.push_back({row.label, path, updates, updates * rate});
    }
  }
  return result;
}

}  // namespace lvtext
