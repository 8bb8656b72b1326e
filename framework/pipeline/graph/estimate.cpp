#include "framework/pipeline/graph/estimate.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/signals.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

/// The node's work, counted in its finished inputs or estimated from `packs`.
Work work_of(const GraphNode& node, const GraphStatus& status, const NodeInputs& packs) {
  Work work;
  try {
    if (node.size && !packs.empty()) work.size = node.size(packs);
    if (!node.units) return work;
    const bool is_ready = std::all_of(
        node.inputs.begin(), node.inputs.end(),
        [&](const auto& input) { return status.at(input.second).state == NodeState::kFinished; });
    if (is_ready) {
      work.units = node.units(job_of(node, status).inputs);
    } else if (node.units_before && !packs.empty()) {
      work.units = node.units_before(packs);
    }
  } catch (const Error&) {  // a damaged input; the error is reported when the node runs
  }
  return work;
}

using NodesByName = std::unordered_map<std::string, const GraphNode*>;

NodesByName by_name_of(const std::vector<const GraphNode*>& nodes) {
  NodesByName by_name;
  for (const GraphNode* each : nodes) by_name.emplace(each->name, each);
  return by_name;
}

NodeInputs find_packs(const GraphNode& node, const NodesByName& by_name,
                      const GraphStatus& status) {
  std::vector<const GraphNode*> reached = {&node};  // the nearest first
  std::unordered_set<const GraphNode*> seen = {&node};
  for (size_t i = 0; i < reached.size(); ++i) {
    NodeInputs packs;
    for (const char* role : {"train", "valid"}) {
      const auto input = reached[i]->inputs.find(role);
      if (input == reached[i]->inputs.end()) continue;
      const auto pack = by_name.find(input->second);
      const bool is_data = pack != by_name.end() && pack->second->kind == NodeKind::kPack;
      const NodeStatus& entry = status.at(input->second);
      if (is_data && entry.state == NodeState::kFinished) packs[role] = entry.folder;
    }
    if (packs.contains("train")) return packs;
    for (const auto& [name, input] : reached[i]->inputs) {
      const auto found = by_name.find(input);
      if (found == by_name.end()) continue;
      if (seen.insert(found->second).second) reached.push_back(found->second);
    }
  }
  return {};
}

}  // namespace

NodeInputs finished_packs(const GraphNode& node, const std::vector<const GraphNode*>& nodes,
                          const GraphStatus& status) {
  return find_packs(node, by_name_of(nodes), status);
}

Estimate estimate(const std::vector<const GraphNode*>& nodes, const GraphStatus& status,
                  const Measures& measures) {
  Estimate result;
  const NodesByName by_name = by_name_of(nodes);
  for (const auto* node : nodes) {
    if (status.at(node->name).state == NodeState::kFinished) continue;
    const NodeInputs packs =
        node->units || node->size ? find_packs(*node, by_name, status) : NodeInputs();
    const auto cost = measures.expect(*node, work_of(*node, status, packs));
    if (!cost) {
      result.unmeasured.push_back(node->name);
      continue;
    }
    result.add(node->name, *cost);
  }
  return result;
}

void Estimate::add(const std::string& node, const Cost& cost) {
  nodes[node] = cost;
  estimated += cost.estimated ? 1 : 0;
  low += cost.low;
  high += cost.high;
  longest_low = std::max(longest_low, cost.low);
  longest_high = std::max(longest_high, cost.high);
  memory = std::max(memory, cost.memory);
  disk += cost.disk;
}

std::string Estimate::time(size_t workers) const {
  const auto count = static_cast<double>(std::max<size_t>(workers, 1));
  const double least = std::max(longest_low, low / count);
  return unmeasured.empty() ? time_text(least, std::max(longest_high, high / count), false)
                            : "at least " + format_seconds(least);
}

std::string time_text(double low, double high, bool is_estimated) {
  // A range of a tenth is within the accuracy of the measurements.
  const bool is_point = low >= 0.9 * high || format_seconds(low) == format_seconds(high);
  const std::string range = format_seconds(low) + " to " + format_seconds(high);
  return (is_point ? "about " + format_seconds(high) : range) +
         (is_estimated ? " (estimated)" : "");
}

std::string estimate_text(const Estimate& estimate, size_t workers) {
  if (estimate.nodes.empty()) {
    return estimate.unmeasured.empty() ? "nothing to run" : "not measured";
  }

  std::string text = estimate.time(workers) + ", " +
                     format_bytes(static_cast<uint64_t>(estimate.disk)) + " of disk, " +
                     format_bytes(static_cast<uint64_t>(estimate.memory)) + " of memory per node";
  if (estimate.estimated > 0) {
    text += "; " + format_count(static_cast<int64_t>(estimate.estimated), "node") +
            " estimated from similar ones";
  }
  if (!estimate.unmeasured.empty()) {
    text += "; " + format_count(std::ssize(estimate.unmeasured), "node") + " not measured";
  }
  return text;
}

std::string disk_warning(const Estimate& estimate, std::optional<uint64_t> free,
                         const std::filesystem::path& runs) {
  const auto needed = static_cast<uint64_t>(estimate.disk);
  if (!free || needed <= *free) return "";
  return std::string("not enough disk: ") + (estimate.unmeasured.empty() ? "about " : "at least ") +
         format_bytes(needed) + " needed, " + format_bytes(*free) + " free for '" + runs.string() +
         "'; free some space, or specify another folder with --out";
}

std::map<std::string, Measure> measure_trainings(const std::vector<const GraphNode*>& nodes,
                                                 const GraphStatus& status, Measures& measures,
                                                 const Worker::Progress& progress) {
  std::map<std::string, Measure> measured;
  const NodesByName by_name = by_name_of(nodes);
  for (const auto* node : nodes) {
    if (!node->measure || measures.find(*node)) continue;
    const NodeInputs packs = find_packs(*node, by_name, status);
    if (packs.empty()) continue;
    throw_if_stopped();
    progress(node->name);
    Measure steps = node->measure(packs);
    if (node->size) steps.size = node->size(packs).value_or(0);
    measures.add(*node, steps);
    measured[node->name] = steps;
  }
  return measured;
}

}  // namespace lvtext
