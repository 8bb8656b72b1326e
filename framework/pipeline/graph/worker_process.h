// Workers in other processes, each of which loads LibTorch once for many nodes.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/pipeline/graph/worker.h"

namespace lvtext {

/// How to start a worker: the command line of a program that builds the same graph and then calls
/// serve_nodes(), and environment variables for this worker only (its GPU, its threads).
struct WorkerCommand {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
};

/// Makes a worker in another process, which is started for the first node. If it dies,
/// the node fails with the reason, and the next node gets a new process. The process terminates
/// with its parent, even if the parent is killed, after saving as on SIGTERM.
std::unique_ptr<Worker> make_worker_process(WorkerCommand command);

/// Main loop of a worker: reads one job per line (names and folders) from standard input, runs it,
/// and writes progress and the outcome as JSON lines to the descriptor `replies`, until the end of
/// input, a stop request or a failure with NodeOutcome::broken.
void serve_nodes(const Graph& graph, int replies);

}  // namespace lvtext
