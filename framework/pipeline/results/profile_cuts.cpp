#include "framework/pipeline/results/profile_cuts.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

/// "/train/batch/size" as "train.batch.size".
std::string dotted(const std::string& pointer) {
  std::string path = pointer.substr(pointer.empty() ? 0 : 1);
  std::replace(path.begin(), path.end(), '/', '.');
  return path;
}

std::string shown(const nlohmann::json& flat, const std::string& pointer) {
  const auto value = flat.find(pointer);
  if (value == flat.end() || value->is_null()) return "unset";
  return value->is_string() ? value->get<std::string>() : value->dump();
}

/// A node's options by their paths. For a data set, only its name and limits: its files and rules
/// follow from the name.
nlohmann::json options_of(const GraphNode& node) {
  nlohmann::json options = node.options;
  if (node.kind == NodeKind::kSource) {
    for (const auto& [key, value] : node.options.items()) {
      if (value.is_structured()) options.erase(key);
    }
  }
  return options.flatten();
}

/// Trainings of rows, and all other trainings (of models that score).
struct Trainings {
  std::set<std::string> rows, others;
};

Trainings trainings_of(const Experiment& experiment) {
  Trainings found;
  for (const auto& row : experiment.rows) {
    for (const auto& [seed, node] : row.trained) found.rows.insert(node);
  }
  for (const auto& node : experiment.graph.nodes()) {
    if (node.kind == NodeKind::kTrain && !found.rows.contains(node.name)) {
      found.others.insert(node.name);
    }
  }
  return found;
}

std::string affected_trainings(const std::set<std::string>& nodes, const Trainings& trainings) {
  if (nodes == trainings.rows) return "all models";
  if (nodes == trainings.others) return "models that score";
  std::set<std::string> both = trainings.rows;
  both.insert(trainings.others.begin(), trainings.others.end());
  if (nodes == both) return "all trainings";
  std::vector<std::string> names(nodes.begin(), nodes.end());
  constexpr size_t kNamed = 6;
  if (names.size() <= kNamed) return join(names);
  const size_t others = names.size() - kNamed;
  names.resize(kNamed);
  return join(names) + " and " + std::to_string(others) + " others";
}

}  // namespace

std::vector<Substitution> profile_cuts(const Experiment& ours, const Experiment& paper) {
  std::map<std::string, const GraphNode*> theirs;
  for (const auto& node : paper.graph.nodes()) theirs[node.name] = &node;
  using Difference = std::tuple<std::string, std::string, std::string>;  // option, paper's, ours
  std::vector<std::pair<Difference, std::set<std::string>>> found;       // in the graph's order
  const auto add = [&found](const Difference& difference, const std::string& node) {
    auto same = std::find_if(found.begin(), found.end(),
                             [&](const auto& entry) { return entry.first == difference; });
    if (same == found.end()) same = found.insert(same, {difference, {}});
    same->second.insert(node);
  };
  for (const auto& row : ours.rows) {
    const ExperimentRow* other = paper.row(row.id);
    if (!other || row.trained.size() == other->trained.size()) continue;
    for (const auto& [seed, node] : row.trained) {
      add({"seeds", std::to_string(other->trained.size()), std::to_string(row.trained.size())},
          node);
    }
  }
  for (const auto& node : ours.graph.nodes()) {
    const auto other = theirs.find(node.name);
    if (other == theirs.end()) continue;
    const nlohmann::json ours_flat = options_of(node);
    const nlohmann::json their_flat = options_of(*other->second);
    std::set<std::string> keys;
    for (const auto& [key, value] : ours_flat.items()) keys.insert(key);
    for (const auto& [key, value] : their_flat.items()) keys.insert(key);
    for (const auto& key : keys) {
      const Difference difference = {dotted(key), shown(their_flat, key), shown(ours_flat, key)};
      if (std::get<1>(difference) == std::get<2>(difference)) continue;
      add(difference, node.name);
    }
  }
  const Trainings trainings = trainings_of(ours);
  std::vector<Substitution> cuts;
  for (const auto& [difference, nodes] : found) {
    const auto& [option, theirs_value, ours_value] = difference;
    cuts.push_back(
        {option, theirs_value, ours_value,
         "profile " + ours.recipe.profile + ": " + affected_trainings(nodes, trainings)});
  }
  return cuts;
}

}  // namespace lvtext
