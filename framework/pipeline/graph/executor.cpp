#include "framework/pipeline/graph/executor.h"

#include <chrono>
#include <set>
#include <thread>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/log.h"
#include "framework/core/base/signals.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPollPeriod(20);
// Delay before retrying a node that another process is running.
constexpr std::chrono::milliseconds kBusyPeriod(500);

/// State of one run_graph() call: the waiting, running and ended nodes.
class Execution {
 public:
  Execution(const Graph& graph, const std::vector<std::string>& requested, RunsFolder runs,
            ExecutorOptions options)
      : nodes_(graph.needed_for(requested)),
        requested_(requested.begin(), requested.end()),
        status_(options.status ? std::move(*options.status) : graph_status(graph, runs)),
        runs_(std::move(runs)),
        options_(std::move(options)) {
    if (options_.workers.empty()) options_.workers.push_back(make_local_worker());
    for (const auto& worker : options_.workers) workers_.push_back({worker.get(), nullptr, {}});
    for (const auto* node : nodes_) {
      const NodeState state = status_[node->name].state;
      if (state == NodeState::kFinished) {
        ++finished_;
      } else if (state != NodeState::kFailed) {
        waiting_.insert(node->name);
      }
    }
  }

  GraphStatus run() {
    while (!waiting_.empty() || running_ > 0) {
      if (stop_requested()) stop_all();
      const bool ended = collect();
      if (!stopping_) start_ready();
      if (stopping_ && running_ == 0) break;
      if (!ended && !started_workers_) std::this_thread::sleep_for(kPollPeriod);
      started_workers_ = false;
    }
    throw_if_stopped();
    if (!refused_.empty()) throw Interrupted(refused_);
    return std::move(status_);
  }

 private:
  struct WorkerState {
    Worker* process;
    const GraphNode* node;  ///< the running node; nullptr: idle
    std::string progress;
  };

  std::string counted(const std::string& text) const {
    return "[" + std::to_string(finished_) + "/" + std::to_string(nodes_.size()) + "] " + text;
  }

  void show_progress() {
    std::vector<std::string> parts;
    for (const auto& worker : workers_) {
      if (worker.node && !worker.progress.empty()) {
        parts.push_back(worker.node->name + ": " + worker.progress);
      }
    }
    if (!parts.empty()) line_.update(counted(join(parts, "  ||  ")));
  }

  /// Forwards the signal once: a second one would terminate the workers without saving.
  void stop_all() {
    if (stopping_) return;
    stopping_ = true;
    for (const auto& worker : workers_) {
      if (worker.node) worker.process->stop(stop_signal());
    }
  }

  /// True if the node can start now; blocks or skips it if an input failed or was skipped.
  bool is_ready(const GraphNode& node) {
    NodeStatus& entry = status_[node.name];
    bool ready = true;
    for (const auto& [name, input] : node.inputs) {
      const NodeState state = status_[input].state;
      if (state == NodeState::kFailed || state == NodeState::kBlocked) {
        entry.state = NodeState::kBlocked;
        entry.reason = "needs '" + input + "', which failed";
        return false;
      }
      if (state == NodeState::kSkipped || state == NodeState::kPaused) {
        entry.state = state;
        entry.reason = status_[input].reason;
        return false;
      }
      ready = ready && state == NodeState::kFinished;
    }
    const auto later = not_before_.find(node.name);
    return ready && (later == not_before_.end() || Clock::now() >= later->second);
  }

  void start_ready() {
    for (const auto* node : nodes_) {
      if (!waiting_.contains(node->name)) continue;
      const bool ready = is_ready(*node);
      const NodeState state = status_[node->name].state;
      const bool is_left_out = state == NodeState::kBlocked || state == NodeState::kSkipped ||
                               state == NodeState::kPaused;
      if (is_left_out) waiting_.erase(node->name);
      if (!ready) continue;
      WorkerState* worker = idle_worker();
      if (!worker) return;
      waiting_.erase(node->name);
      worker->node = node;
      worker->progress.clear();
      ++running_;
      started_workers_ = true;
      NodeJob job = job_of(*node, status_);
      const bool can_pause = node->kind == NodeKind::kTrain && requested_.contains(node->name);
      if (can_pause) job.pause_at = options_.pause_at;
      if (!node->stem.empty()) job.same_stem = runs_.of_stem(node->stem);
      worker->process->start(job, [this, worker](const std::string& text) {
        worker->progress = text;
        show_progress();
      });
      // A local worker has already run the node; its outcome may make others ready.
      collect();
      if (stop_requested()) return;
    }
  }

  WorkerState* idle_worker() {
    for (auto& worker : workers_) {
      if (!worker.node) return &worker;
    }
    return nullptr;
  }

  /// Processes all available outcomes; true if there was one.
  bool collect() {
    bool any = false;
    for (auto& worker : workers_) {
      if (!worker.node) continue;
      const auto outcome = worker.process->poll();
      if (!outcome) continue;
      any = true;
      --running_;
      end_node(*worker.node, *outcome);
      worker.node = nullptr;
    }
    return any;
  }

  void fail(const std::string& node, const std::string& reason) {
    status_[node].state = NodeState::kFailed;
    status_[node].reason = reason;
    line_.clear();
    log_error(node + " failed: " + reason);
  }

  /// A damaged input fails that input node, reported once, and blocks the nodes that depend on it.
  void fail_or_block(const GraphNode& node, const NodeOutcome& outcome) {
    for (const auto& [name, input] : node.inputs) {
      NodeStatus& entry = status_[input];
      if (outcome.damaged.empty() || entry.folder != outcome.damaged) continue;
      if (entry.state == NodeState::kFinished) {
        --finished_;
        fail(input, outcome.reason);
      }
      waiting_.insert(node.name);  // is_ready() blocks it
      return;
    }
    fail(node.name, outcome.reason);
  }

  /// True if the node waits to be resumed after its worker process ended.
  bool restarts(const GraphNode& node, const NodeOutcome& outcome) {
    const bool is_stopped = outcome.end == NodeOutcome::End::kStopped;
    if (stopping_ || stop_requested() || !(is_stopped || outcome.killed)) return false;
    if (++starts_[node.name] > options_.restarts) return false;
    line_.clear();
    log_warning("resuming " + node.name + ": " + outcome.reason);
    waiting_.insert(node.name);
    return true;
  }

  void end_node(const GraphNode& node, const NodeOutcome& outcome) {
    if (restarts(node, outcome)) return;
    NodeStatus& entry = status_[node.name];
    switch (outcome.end) {
      case NodeOutcome::End::kFinished:
        entry.state = NodeState::kFinished;
        ++finished_;
        runs_.add_finished(node, entry.folder);
        line_.clear();
        log_info(counted(node.name + " (" + format_seconds(outcome.measure.seconds) + ")"));
        if (options_.measures && outcome.measure.whole)
          options_.measures->add(node, outcome.measure);
        return;
      case NodeOutcome::End::kFailed: return fail_or_block(node, outcome);
      case NodeOutcome::End::kSkipped:
        entry.state = NodeState::kSkipped;
        entry.reason = outcome.reason;
        line_.clear();
        log_warning(node.name + ": " + outcome.reason +
                    (outcome.detail.empty() ? "" : ": " + outcome.detail));
        return;
      case NodeOutcome::End::kPaused:
        entry.state = NodeState::kPaused;
        entry.reason = outcome.reason;
        line_.clear();
        log_info(counted(node.name + ": " + outcome.reason));
        return;
      case NodeOutcome::End::kBusy:
        if (options_.if_busy == IfBusy::kRefuse && requested_.contains(node.name)) {
          entry.state = NodeState::kFailed;
          entry.reason = refused_ = outcome.reason;
          return;
        }
        if (not_before_.emplace(node.name, Clock::time_point()).second) {
          line_.clear();
          log_info("waiting for " + node.name + ": " + outcome.reason);
        }
        not_before_[node.name] = Clock::now() + kBusyPeriod;
        waiting_.insert(node.name);
        return;
      case NodeOutcome::End::kStopped:
        if (stopping_ || stop_requested()) {
          entry.state = NodeState::kBegun;
          return;
        }
        // Only the worker was stopped, after saving its state. This command does not resume it.
        return fail(node.name, outcome.reason);
    }
  }

  std::vector<const GraphNode*> nodes_;
  std::set<std::string> requested_;
  GraphStatus status_;
  RunsFolder runs_;
  std::vector<WorkerState> workers_;
  std::set<std::string> waiting_;
  std::map<std::string, Clock::time_point> not_before_;
  std::map<std::string, int> starts_;  ///< number of starts, for nodes whose worker process ended
  ExecutorOptions options_;
  std::string refused_;  ///< reason for refusing a busy node; empty: none was refused
  size_t finished_ = 0;
  int running_ = 0;
  bool started_workers_ = false;
  bool stopping_ = false;
  ProgressLine line_;
};

}  // namespace

const std::vector<EnumName<NodeState>>& enum_names(NodeState) {
  static const std::vector<EnumName<NodeState>> names = {
      {"missing", NodeState::kMissing, "not started"},
      {"interrupted", NodeState::kBegun, "started, not finished"},
      {"finished", NodeState::kFinished, "all results are complete"},
      {"failed", NodeState::kFailed, "ended by an error"},
      {"blocked", NodeState::kBlocked, "an input failed"},
      {"skipped", NodeState::kSkipped, "there is nothing to compute"},
      {"paused", NodeState::kPaused, "saved at the requested step"}};
  return names;
}

std::string failure_of(const GraphStatus& status, const std::string& node) {
  const NodeStatus& entry = status.at(node);
  if (!entry.reason.empty()) return entry.reason.substr(0, entry.reason.find('\n'));
  return "not run yet";
}

GraphStatus graph_status(const Graph& graph, const RunsFolder& runs) {
  GraphStatus status;
  for (const auto& node : graph.nodes()) {
    NodeStatus& entry = status[node.name];
    entry.folder = runs.folder_of(node);
    try {
      if (is_finished(entry.folder, node)) entry.state = NodeState::kFinished;
    } catch (const Error& error) {  // a damaged manifest fails only this node
      entry.state = NodeState::kFailed;
      entry.reason = error.what();
      continue;
    }
    if (entry.state == NodeState::kFinished) continue;
    std::error_code failed;
    if (std::filesystem::exists(entry.folder / kNodeFile, failed)) entry.state = NodeState::kBegun;
  }
  return status;
}

bool fail_damaged(GraphStatus& status, const DamagedRun& damage) {
  for (auto& [name, entry] : status) {
    if (entry.folder != damage.folder || entry.state != NodeState::kFinished) continue;
    entry.state = NodeState::kFailed;
    entry.reason = damage.what();
    return true;
  }
  return false;
}

NodeJob job_of(const GraphNode& node, const GraphStatus& status) {
  NodeJob job{&node, status.at(node.name).folder, {}};
  for (const auto& [name, input] : node.inputs) job.inputs[name] = status.at(input).folder;
  return job;
}

GraphStatus run_graph(const Graph& graph, const std::vector<std::string>& requested,
                      RunsFolder runs, ExecutorOptions options) {
  make_folders(runs.path());
  return Execution(graph, requested, std::move(runs), std::move(options)).run();
}

}  // namespace lvtext
