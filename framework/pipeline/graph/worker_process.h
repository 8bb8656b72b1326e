// Workers in separate processes: each loads LibTorch once and runs one node after another.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/pipeline/graph/worker.h"

namespace lvtext {

/// Start command of a worker: the command line of a program that builds the same graph and calls
/// serve_nodes(), and environment variables of this worker (its GPU, its threads).
struct WorkerCommand {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
};

/// A worker in a separate process, which starts with the first node. If the process dies, the node
/// fails with the reason and the next node gets a new process. The process ends with its parent,
/// even if the parent is killed, after saving as on SIGTERM.
std::unique_ptr<Worker> make_worker_process(WorkerCommand command);

/// Main loop of a worker process: reads one job per line from standard input (names and folders),
/// runs it, and writes progress and outcome as JSON lines to the descriptor `replies`, until the
/// input ends or a stop is requested.
void serve_nodes(const Graph& graph, int replies);

}  // namespace lvtext
