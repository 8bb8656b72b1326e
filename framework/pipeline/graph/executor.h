// Executor that runs the missing nodes of a graph on this machine.
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

/// Skipped: there is nothing to compute (NodeSkipped), for this node or an input. Blocked: an input
/// failed. Paused: it, or an input, stopped at ExecutorOptions::pause_at; only run_graph() sets it.
enum class NodeState { kMissing, kBegun, kFinished, kFailed, kBlocked, kSkipped, kPaused };
const std::vector<EnumName<NodeState>>& enum_names(NodeState);

struct NodeStatus {
  NodeState state = NodeState::kMissing;
  std::filesystem::path folder;
  std::string reason;  ///< why the node has no result
};
using GraphStatus = std::map<std::string, NodeStatus>;

/// Why a node has no result: the first line of its reason, or "not run yet".
std::string failure_of(const GraphStatus& status, const std::string& node);

/// Reads the status of all nodes from their folders without running anything.
GraphStatus graph_status(const Graph& graph, const RunsFolder& runs);

/// Sets the finished node of a damaged folder to failed; returns false if there is none.
bool fail_damaged(GraphStatus& status, const DamagedRun& damage);

/// The job of a node whose inputs are finished.
NodeJob job_of(const GraphNode& node, const GraphStatus& status);

/// Whether to wait for a requested node that another live process is running, or to fail. Inputs of
/// requested nodes are always waited for.
enum class IfBusy { kWait, kRefuse };

/// Options of run_graph().
struct ExecutorOptions {
  std::vector<std::unique_ptr<Worker>> workers;  ///< empty: a single one in this process
  IfBusy if_busy = IfBusy::kWait;
  Measures* measures = nullptr;            ///< receives the cost of each node; may be null
  std::optional<GraphStatus> status = {};  ///< initial status, if the caller has read it
  /// The step at which requested trainings save and end as paused; unset: they run to their end.
  std::optional<int64_t> pause_at = {};
  int restarts = 0;  ///< how often a node is resumed whose worker process was killed or stopped
};

/// Runs the unfinished nodes that `requested` depends on, inputs first, one per worker at a time. A
/// failed node blocks only the nodes that depend on it. Throws Interrupted after a stop request
/// (once the running nodes have saved their state), or, with IfBusy::kRefuse, if a requested node
/// was busy (once the other nodes have ended).
GraphStatus run_graph(const Graph& graph, const std::vector<std::string>& requested,
                      RunsFolder runs, ExecutorOptions options = {});

}  // namespace lvtext
