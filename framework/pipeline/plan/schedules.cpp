#include "framework/pipeline/plan/schedules.h"

#include <algorithm>
#include <cstdlib>

#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/options/defaults.h"

namespace lvtext {
namespace {

/// The number in a scalar; std::nullopt for a missing value or another type.
std::optional<double> number_of(const Node* node) {
  if (!node || !node->is_scalar() || node->quoted()) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(node->text().c_str(), &end);
  return end == node->text().c_str() ? std::nullopt : std::optional<double>(number);
}

/// False for an option without effect because of the value of another option of the same mapping.
bool is_used(const FieldSchema& option, const Node& values) {
  const auto& uses = option.rules.values;
  if (uses.empty()) return true;
  const Node* value = values.find(option.rules.condition);
  return value && contains(uses, value->text());
}

/// `planned(row)` returns the updates of a row's run, if known.
template <class Planned>
std::vector<ScaledOption> scaled(const Experiment& experiment, std::vector<std::string>& unknown,
                                 const Planned& planned) {
  std::vector<ScaledOption> result;
  for (const auto& row : experiment.rows) {
    if (!row.is_trained()) continue;
    const Configured& model = row.checked.entry->component;
    const TrainOptions& train = row.checked.entry->train;
    const auto written =
        options_in_updates(model.component->about.schema, with_values(Node(), model.options));
    if (!train.schedule_length || written.empty()) continue;
    const std::optional<int64_t> updates = planned(row);
    if (!updates) {
      unknown.push_back(row.label);
      continue;
    }
    const double rate = static_cast<double>(*updates) / train.schedule_length->amount;
    for (const auto& [path, length] : written) {
      result.push_back({row.label, path, length, length * rate});
    }
  }
  return result;
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
    } else if (field.rules.unit == "updates" && is_used(field, options)) {
      if (const auto number = number_of(value)) found.emplace_back(path, *number);
    }
  }
  return found;
}

std::vector<ScaledOption> scaled_options(const Experiment& experiment, const GraphStatus& status) {
  std::vector<std::string> unknown;
  return scaled(experiment, unknown, [&](const ExperimentRow& row) -> std::optional<int64_t> {
    const NodeStatus& training = status.at(row.trained.begin()->second);
    if (training.state != NodeState::kFinished) return std::nullopt;
    return FinishedRun(training.folder).metadata().at("planned_updates").get<int64_t>();
  });
}

std::vector<ScaledOption> planned_schedules(const Experiment& experiment, const GraphStatus& status,
                                            std::vector<std::string>& unknown) {
  return scaled(experiment, unknown, [&](const ExperimentRow& row) -> std::optional<int64_t> {
    const GraphNode& training = experiment.graph.at(row.trained.begin()->second);
    const bool is_ready =
        std::all_of(training.inputs.begin(), training.inputs.end(), [&](const auto& input) {
          return input.first.starts_with("valid") ||
                 status.at(input.second).state == NodeState::kFinished;
        });
    if (!is_ready) return std::nullopt;
    return training.planned_updates(job_of(training, status).inputs);
  });
}

}  // namespace lvtext
