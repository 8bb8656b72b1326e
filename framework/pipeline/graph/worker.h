// Workers run nodes, in this process or in a separate one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "framework/core/options/options.h"
#include "framework/pipeline/graph/graph.h"

namespace lvtext {

/// Outcome of running a node.
struct NodeOutcome {
  enum class End {
    kFinished,
    kFailed,
    kSkipped,  ///< it cannot be computed on this machine; not a failure
    kBusy,     ///< another live process owns the folder
    kStopped,  ///< stopped by a signal after saving
  };
  End end = End::kFinished;
  std::string reason;                  ///< of a failure, a stop or a skip
  std::string detail = {};             ///< details of a skip
  std::filesystem::path damaged = {};  ///< folder of the damaged input that caused the failure
  bool broken = false;                 ///< after this failure the process must not be used again
  Measure measure;                     ///< whole if the node ran from the start to the end
};

/// Names of the outcomes in messages of worker processes.
const std::vector<EnumName<NodeOutcome::End>>& enum_names(NodeOutcome::End);

/// A node to run, with the folders of its finished inputs.
struct NodeJob {
  const GraphNode* node = nullptr;
  std::filesystem::path folder;
  NodeInputs inputs;
  /// Finished runs with the node's stem.
  std::vector<std::filesystem::path> same_stem = {};
};

/// Runs one node at a time.
class Worker {
 public:
  using Progress = std::function<void(const std::string&)>;
  virtual ~Worker() = default;
  /// Starts a job; the worker must be idle. May run it to the end.
  virtual void start(const NodeJob& job, Progress progress) = 0;
  /// The outcome if the job has ended; the worker is then idle. Does not block.
  virtual std::optional<NodeOutcome> poll() = 0;
  /// Forwards a stop signal; the job ends as kStopped after saving its state.
  virtual void stop(int signal) = 0;
};

/// Runs a node in this process: writes node.json first and the manifest last. A folder that another
/// process finished in the meantime counts as finished.
NodeOutcome run_node(const NodeJob& job, const Worker::Progress& progress);

/// A worker in this process: start() returns when the node has ended.
std::unique_ptr<Worker> make_local_worker();

}  // namespace lvtext
