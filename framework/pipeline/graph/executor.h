// Runs what is missing of a graph, on this machine.
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

/// A skipped node has nothing to compute (NodeSkipped); a blocked one needs one that failed.
enum class NodeState { kMissing, kBegun, kFinished, kFailed, kBlocked, kSkipped };
const std::vector<EnumName<NodeState>>& enum_names(NodeState);

struct NodeStatus {
  NodeState state = NodeState::kMissing;
  std::filesystem::path folder;
  std::string reason;  ///< why it has no result
};
using GraphStatus = std::map<std::string, NodeStatus>;

/// Why a node has no result: the reason that it gave, or that it has not run. One line.
std::string failure_of(const GraphStatus& status, const std::string& node);

/// What is there, without running anything.
GraphStatus graph_status(const Graph& graph, const RunsFolder& runs);

/// Makes the finished node of a damaged folder a failed one; false if no finished node has it.
bool fail_damaged(GraphStatus& status, const DamagedRun& damage);

/// The node's job, its inputs being finished.
NodeJob job_of(const GraphNode& node, const GraphStatus& status);

/// What becomes of a node that another live process owns.
enum class IfBusy { kWait, kRefuse };

/// How a graph is run.
struct ExecutorOptions {
  std::vector<std::unique_ptr<Worker>> workers;  ///< empty: one in this process
  IfBusy if_busy = IfBusy::kWait;
  Measures* measures = nullptr;            ///< where the cost of each node is kept
  std::optional<GraphStatus> status = {};  ///< what is there, if the caller has read it
};

/// Runs the nodes that `wanted` need and that are not finished, inputs first, one per slot at a
/// time. A failed node stops only what depends on it. Throws Interrupted when a stop was requested
/// (what was running has saved its state by then) or a busy node is refused, after the others
/// ended.
GraphStatus run_graph(const Graph& graph, const std::vector<std::string>& wanted, RunsFolder runs,
                      ExecutorOptions options = {});

}  // namespace lvtext
