// Runs what is missing of a graph, on this machine.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "framework/graph/graph.h"

namespace lvtext {

enum class NodeState { kMissing, kBegun, kFinished, kFailed, kBlocked };
/// "missing", "begun", "finished", "failed", "blocked".
std::string to_string(NodeState state);

struct NodeStatus {
  NodeState state = NodeState::kMissing;
  std::filesystem::path folder;
  std::string reason;  ///< of a failure; for a blocked node, the input that failed
};
using GraphStatus = std::map<std::string, NodeStatus>;

/// What is there, without running anything.
GraphStatus graph_status(const Graph& graph, const std::filesystem::path& runs);

/// Runs the nodes that `wanted` need and that are not finished, inputs first. A failed node stops
/// only what depends on it. A node that another live process owns is waited for. Throws Interrupted
/// when a stop was requested; what was running has saved its state by then.
GraphStatus run_graph(const Graph& graph, const std::vector<std::string>& wanted,
                      const std::filesystem::path& runs);

}  // namespace lvtext
