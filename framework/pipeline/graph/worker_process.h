// Slots that are processes: a worker loads LibTorch once and then takes node after node.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/pipeline/graph/worker.h"

namespace lvtext {

/// How to start a worker: the command line of a program that builds the same graph and then calls
/// serve_nodes(), and environment variables of this worker alone (its GPU, its threads).
struct WorkerCommand {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
};

/// A slot whose nodes run in a worker. The process starts with the first node; should it die, the
/// node fails with the reason and the next one gets a new process. A worker ends with its parent,
/// even if the parent is killed: it saves first, as on SIGTERM.
std::unique_ptr<Worker> make_worker_process(WorkerCommand command);

/// The worker's side: reads a job per line from standard input (names and folders), runs it, and
/// writes progress and the outcome as JSON lines to the descriptor `replies` until the input ends
/// or a stop was requested.
void serve_nodes(const Graph& graph, int replies);

}  // namespace lvtext
