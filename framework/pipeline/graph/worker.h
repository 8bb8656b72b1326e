// Where a node runs: in this process, or in a worker process of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "framework/core/options/options.h"
#include "framework/pipeline/graph/graph.h"

namespace lvtext {

/// How the work on a node ended.
struct NodeOutcome {
  enum class End {
    kFinished,
    kFailed,
    kSkipped,  ///< it cannot be computed here, which is no failure
    kBusy,     ///< another live process owns the folder
    kStopped,  ///< by a stop signal, after saving
  };
  End end = End::kFinished;
  std::string reason;                  ///< of a failure, a stop, or why it was skipped
  std::string detail = {};             ///< more of why it was skipped
  std::filesystem::path damaged = {};  ///< the folder of the input whose damage made it fail
  bool broken = false;  ///< it failed in a way after which the process should not be used again
  Measure measure;      ///< whole where the node ran from its beginning to its end
};

/// Names of the outcomes in messages of worker processes.
const std::vector<EnumName<NodeOutcome::End>>& enum_names(NodeOutcome::End);

/// A node to run and the finished folders that it reads.
struct NodeJob {
  const GraphNode* node = nullptr;
  std::filesystem::path folder;
  NodeInputs inputs;
  /// Finished runs of the node's stem.
  std::vector<std::filesystem::path> same_stem = {};
};

/// A place that runs one node at a time.
class Worker {
 public:
  using Progress = std::function<void(const std::string&)>;
  virtual ~Worker() = default;
  /// Begins a job; the slot must be idle. May run it to its end.
  virtual void start(const NodeJob& job, Progress progress) = 0;
  /// The outcome once the job has ended, after which the slot is idle. Never blocks.
  virtual std::optional<NodeOutcome> poll() = 0;
  /// Passes a stop signal on; the job ends as kStopped once its state is saved.
  virtual void stop(int signal) = 0;
};

/// Runs a node here and now: node.json first, the manifest last. A folder that another process has
/// finished meanwhile counts as finished.
NodeOutcome run_node(const NodeJob& job, const Worker::Progress& progress);

/// A slot in this process: start() returns when the node has ended.
std::unique_ptr<Worker> make_local_worker();

}  // namespace lvtext
