#include "framework/pipeline/graph/graph.h"

#include <algorithm>
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/pipeline/recipe/entry_id.h"

namespace lvtext {

const std::vector<EnumName<NodeKind>>& enum_names(NodeKind) {
  static const std::vector<EnumName<NodeKind>> names = {
      {"source", NodeKind::kSource, "records of a data set"},
      {"fit", NodeKind::kFit, "a fitted tokenizer"},
      {"pack", NodeKind::kPack, "a split as a dataset"},
      {"train", NodeKind::kTrain, "a trained model"},
      {"model", NodeKind::kModel, "a fitted or imported model"},
      {"produce", NodeKind::kProduce, "inference with a model"},
      {"score", NodeKind::kScore, "scores of an evaluator"},
      {"choice", NodeKind::kSelection, "a chosen checkpoint or row"}};
  return names;
}

const std::filesystem::path& NodeRun::input(const std::string& name) const {
  const auto found = inputs.find(name);
  LVT_ASSERT(found != inputs.end(), "the node has no input '" + name + "'");
  return found->second;
}

namespace {

/// Merges the requested parts of `other`, a node with the same identity, into `known`.
void ask_for_parts(GraphNode& known, GraphNode& other) {
  if (known.named_parts && other.named_parts) {
    for (const auto& key : *other.named_parts) {
      auto& asked = *known.named_parts;
      if (std::find(asked.begin(), asked.end(), key) == asked.end()) asked.push_back(key);
    }
  }
  if (other.checkpoints.empty() || other.checkpoints == known.checkpoints) return;
  if (!known.checkpoints.empty()) {
    throw ConfigError("'" + known.name + "' and '" + other.name +
                      "' are the same training, with checkpoints every " + known.checkpoints +
                      " and every " + other.checkpoints + "; use one period");
  }
  known.checkpoints = std::move(other.checkpoints);
  known.has_parts = std::move(other.has_parts);
  known.run = std::move(other.run);
}

}  // namespace

Graph::Graph(std::string recipe, std::string profile)
    : recipe_(std::move(recipe)), profile_(std::move(profile)) {}

std::string Graph::identity_of(const GraphNode& node, const nlohmann::json& options) const {
  nlohmann::json inputs = nlohmann::json::object();
  for (const auto& [name, input] : node.inputs) inputs[name] = at(input).identity;
  // Keys of nlohmann::json are sorted, so that equal meaning gives equal bytes.
  nlohmann::json meaning = {{"kind", enum_name(node.kind)},
                            {"component", node.component},
                            {"revision", node.revision},
                            {"options", options},
                            {"inputs", inputs}};
  if (!node.parts.empty()) meaning["parts"] = node.parts;
  return sha256(meaning.dump());
}

std::string Graph::plugin_components_of(const GraphNode& node) const {
  if (node.plugin) {
    return "the component '" + node.component + "' of the plug-in '" + node.plugin->name + "'";
  }
  std::set<std::string> all;
  for (const auto& [name, input] : node.inputs) {
    const std::string& components = at(input).plugin_components;
    if (!components.empty()) all.insert(components);
  }
  return join({all.begin(), all.end()}, " or ");
}

std::string Graph::add(GraphNode node) {
  node.plugin_components = plugin_components_of(node);
  if (node.identity.empty()) node.identity = identity_of(node, node.options);
  if (!node.stem_options.is_null()) node.stem = identity_of(node, node.stem_options);
  const auto same = by_identity_.find(node.identity);
  if (same != by_identity_.end()) {
    ask_for_parts(nodes_[by_name_.at(same->second)], node);
    return same->second;
  }
  const std::string given = node.name;
  for (int n = 2; by_name_.contains(node.name); ++n) node.name = given + "-" + std::to_string(n);
  node.recipe = recipe_;
  node.label = recipe_.substr(0, recipe_.find('/')) + "." + file_name_of(node.name) + "." +
               profile_ + ".s" + std::to_string(node.seed);
  for (const auto& [name, input] : node.inputs) {
    for (const auto& each : at(input).data) {
      if (std::find(node.data.begin(), node.data.end(), each) == node.data.end())
        node.data.push_back(each);
    }
  }
  by_name_[node.name] = nodes_.size();
  by_identity_[node.identity] = node.name;
  nodes_.push_back(std::move(node));
  return nodes_.back().name;
}

const GraphNode& Graph::at(const std::string& name) const {
  const auto found = by_name_.find(name);
  LVT_ASSERT(found != by_name_.end(), "the graph has no node '" + name + "'");
  return nodes_[found->second];
}

void Graph::set_row(const std::string& name, const std::string& row) {
  GraphNode& node = nodes_[by_name_.at(name)];
  if (node.row.empty()) node.row = row;
}

void Graph::set_headline(const std::string& name, const std::string& metric,
                         const std::string& score, const std::string& scoring_node) {
  const GraphNode& scoring = at(scoring_node);
  GraphNode& node = nodes_[by_name_.at(name)];
  if (node.headline) return;
  node.headline = {metric, score, scoring.label + "-" + scoring.identity.substr(0, 8)};
}

std::vector<const GraphNode*> Graph::needed_for(const std::vector<std::string>& names) const {
  std::vector<bool> needed(nodes_.size(), false);
  for (const auto& name : names) needed[by_name_.at(name)] = true;
  for (size_t i = nodes_.size(); i-- > 0;) {
    if (!needed[i]) continue;
    for (const auto& [name, input] : nodes_[i].inputs) needed[by_name_.at(input)] = true;
  }
  std::vector<const GraphNode*> result;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (needed[i]) result.push_back(&nodes_[i]);
  }
  return result;
}

bool is_finished(const std::filesystem::path& folder, const GraphNode& node) {
  const auto manifest = read_run_manifest(folder);
  if (!manifest) return false;
  const std::string found = manifest->value("identity", "");
  if (found != node.identity) {
    throw DataError("'" + folder.string() + "' contains another result (identity " + found +
                    ", expected " + node.identity + "); remove it with `lvtext runs rm`");
  }
  return !node.has_parts || node.has_parts(*manifest);
}

}  // namespace lvtext
