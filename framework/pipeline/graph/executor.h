// Runs the unfinished nodes of a graph on this machine.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/checkpoint/finished_run.h"
#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/graph/measures.h"
#include "framework/pipeline/graph/runs_folder.h"
#include "framework/pipeline/graph/worker.h"

namespace lvtext {

/// kSkipped: nothing to compute (NodeSkipped); kBlocked: an input failed.
enum class NodeState { kMissing, kBegun, kFinished, kFailed, kBlocked, kSkipped };
const std::vector<EnumName<NodeState>>& enum_names(NodeState);

struct NodeStatus {
  NodeState state = NodeState::kMissing;
  std::filesystem::path folder;
  std::string reason;  ///< why it has no result
};
using GraphStatus = std::map<std::string, NodeStatus>;

/// Why a node has no result: its reason, or that it has not run. One line.
std::string failure_of(const GraphStatus& status, const std::string& node);

/// The current state of all nodes.
GraphStatus graph_status(const Graph& graph, const RunsFolder& runs);

/// Marks the finished node of a damaged folder as failed; false if no finished node has this
/// folder.
bool fail_damaged(GraphStatus& status, const DamagedRun& damage);

/// The job of a node whose inputs are finished.
NodeJob job_of(const GraphNode& node, const GraphStatus& status);

/// Handling of a node that another live process owns.
enum class IfBusy { kWait, kRefuse };

/// Options of run_graph().
struct ExecutorOptions {
  std::vector<std::unique_ptr<Worker>> workers;  ///< empty: a single one in this process
  IfBusy if_busy = IfBusy::kWait;
  Measures* measures = nullptr;            ///< storage for the cost of each node
  std::optional<GraphStatus> status = {};  ///< current state, if the caller has read it
};

/// Runs the unfinished nodes that `wanted` depend on, inputs first, one per worker at a time. A
/// failed node stops only nodes that depend on it. Throws Interrupted after all running nodes saved
/// their state if a stop was requested, or after they ended if a busy node is refused.
GraphStatus run_graph(const Graph& graph, const std::vector<std::string>& wanted, RunsFolder runs,
                      ExecutorOptions options = {});

}  // namespace lvtext
