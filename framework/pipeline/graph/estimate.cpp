#include "framework/pipeline/graph/estimate.h"

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/signals.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

/// The node's units of work, counted in its finished inputs or estimated from `packs`; none if
/// unknown.
std::optional<double> units_of(const GraphNode& node, const GraphStatus& status,
                               const NodeInputs& packs) {
  if (!node.units) return std::nullopt;
  try {
    for (const auto& [name, input] : node.inputs) {
      if (status.at(input).state == NodeState::kFinished) continue;
      return packs.empty() || !node.units_before ? std::nullopt : node.units_before(packs);
    }
    return node.units(job_of(node, status).inputs);
  } catch (const Error&) {  // a damaged input; the error is reported when the node runs
    return std::nullopt;
  }
}

}  // namespace

Estimate estimate(const std::vector<const GraphNode*>& nodes, const GraphStatus& status,
                  const NodeInputs& packs, const Measures& measures) {
  Estimate result;
  for (const auto* node : nodes) {
    if (status.at(node->name).state == NodeState::kFinished) continue;
    const auto cost = measures.expect(*node, units_of(*node, status, packs));
    if (!cost) {
      result.unmeasured.push_back(node->name);
      continue;
    }
    result.nodes[node->name] = *cost;
    result.seconds += cost->seconds;
    result.longest = std::max(result.longest, cost->seconds);
    result.memory = std::max(result.memory, cost->memory);
    result.disk += cost->disk;
  }
  return result;
}

std::string estimate_text(const Estimate& estimate, size_t workers) {
  if (estimate.nodes.empty()) {
    return estimate.unmeasured.empty() ? "nothing to run" : "not measured";
  }
  const double seconds = std::max(
      estimate.longest, estimate.seconds / static_cast<double>(std::max<size_t>(workers, 1)));
  const std::string bound = estimate.unmeasured.empty() ? "about " : "at least ";
  std::string text = bound + format_seconds(seconds) + ", " +
                     format_bytes(static_cast<uint64_t>(estimate.disk)) + " of disk, " +
                     format_bytes(static_cast<uint64_t>(estimate.memory)) + " of memory per node";
  if (!estimate.unmeasured.empty()) {
    const size_t count = estimate.unmeasured.size();
    text += "; " + std::to_string(count) + (count == 1 ? " node" : " nodes") + " not measured";
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
                                                 const NodeInputs& packs, Measures& measures,
                                                 const Worker::Progress& progress) {
  std::map<std::string, Measure> measured;
  for (const auto* node : nodes) {
    if (!node->measure || measures.find(*node)) continue;
    throw_if_stopped();
    progress(node->name);
    const Measure steps = node->measure(packs);
    measures.add(*node, steps);
    measured[node->name] = steps;
  }
  return measured;
}

}  // namespace lvtext
