// Interface for running nodes, and its implementation in the current process.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "framework/pipeline/graph/graph.h"

namespace lvtext {

/// Result of running a node.
struct NodeOutcome {
  enum class End {
    kFinished,
    kFailed,
    kSkipped,  ///< there is nothing to compute (NodeSkipped); not a failure
    kBusy,     ///< another live process owns the folder
    kStopped,  ///< stopped by a signal after saving
    kPaused,   ///< a training saved at NodeJob::pause_at
  };
  End end = End::kFinished;
  std::string reason;                  ///< reason of a failure, a stop or a skip
  std::string detail = {};             ///< details of a skip
  std::filesystem::path damaged = {};  ///< folder of the damaged input that caused the failure
  bool killed = false;                 ///< a signal ended its process without saving
  bool broken = false;                 ///< after this failure the process must not be used again
  Measure measure;                     ///< whole if the node ran from the start to the end
};

/// A node to run, with the folders of its finished inputs.
struct NodeJob {
  const GraphNode* node = nullptr;
  std::filesystem::path folder;
  NodeInputs inputs;
  /// Finished runs with the node's stem.
  std::vector<std::filesystem::path> same_stem = {};
  std::optional<int64_t> pause_at = {};  ///< NodeRun::pause_at
};

/// Runs one node at a time, in this process or in a worker process (worker.h).
class Worker {
 public:
  using Progress = std::function<void(const std::string&)>;
  virtual ~Worker() = default;
  /// Starts a job; the worker must be idle. May run the job to completion before returning.
  virtual void start(const NodeJob& job, Progress progress) = 0;
  /// Returns the outcome once the job has ended; the worker is then idle. Never blocks.
  virtual std::optional<NodeOutcome> poll() = 0;
  /// Forwards a stop signal; the job ends as kStopped once its state is saved.
  virtual void stop(int signal) = 0;
};

/// A node in messages about crashes: its name and the plug-ins that it uses.
std::string described(const GraphNode& node);

/// Runs a node in this process. Writes node.json first and the manifest last. Returns kFinished
/// without running if another process has finished the node meanwhile.
NodeOutcome run_node(const NodeJob& job, const Worker::Progress& progress);

/// Makes a worker in this process, whose start() returns when the node has ended.
std::unique_ptr<Worker> make_local_worker();

}  // namespace lvtext
