#include "framework/pipeline/graph/worker_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>

#include "framework/core/base/error.h"
#include "framework/core/base/signals.h"

namespace lvtext {

// What a worker sends to its parent, which decides by itself whether a node was killed or broken.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Measure, seconds, units, memory, disk, whole, cpu, size)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NodeOutcome, end, reason, detail, damaged, measure)

namespace {

using Json = nlohmann::json;
using End = NodeOutcome::End;
constexpr std::chrono::milliseconds kProgressPeriod(200);
/// Environment variable with the process id of a worker's parent.
constexpr const char* kParentVariable = "LVTEXT_WORKER_OF";

/// Writes a complete line; false if the reader has closed the pipe.
bool write_line(int descriptor, const Json& line) {
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(descriptor, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    written += static_cast<size_t>(count);
  }
  return true;
}

std::string how_it_ended(int status) {
  if (!WIFSIGNALED(status)) return "exited with code " + std::to_string(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  const std::string hint =
      signal == SIGKILL ? " (the system kills processes when it runs out of memory)" : "";
  return "was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")" + hint;
}

class WorkerProcess : public Worker {
 public:
  explicit WorkerProcess(WorkerCommand command) : command_(std::move(command)) {}
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  ~WorkerProcess() override {
    if (pid_ <= 0) return;
    if (busy_) kill(pid_, SIGTERM);
    close_pipes();  // an idle worker exits at the end of its input
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }

  void start(const NodeJob& job, Progress progress) override {
    if (pid_ <= 0) spawn();
    progress_ = std::move(progress);
    doing_ = "computing " + described(*job.node);
    busy_ = true;
    Json line = {{"node", job.node->name},
                 {"folder", job.folder.string()},
                 {"inputs", Json::object()},
                 {"same_stem", Json::array()}};
    for (const auto& [worker, folder] : job.inputs) line["inputs"][worker] = folder.string();
    for (const auto& folder : job.same_stem) line["same_stem"].push_back(folder.string());
    if (job.pause_at) line["pause_at"] = *job.pause_at;
    write_line(input_, line);  // if the worker has died, poll() reports it
  }

  std::optional<NodeOutcome> poll() override {
    if (!busy_) return std::nullopt;
    const bool open = read_replies();
    std::optional<NodeOutcome> outcome;
    bool leaves = false;  // the worker is about to exit; the next job needs a new process
    size_t end = 0;
    while (!outcome && (end = buffer_.find('\n')) != std::string::npos) {
      const Json line = Json::parse(buffer_.substr(0, end));
      buffer_.erase(0, end + 1);
      if (line.contains("progress")) {
        progress_(line.at("progress").get<std::string>());
      } else {
        outcome = line.get<NodeOutcome>();
        leaves = line.value("leaves", false);
      }
    }
    if (!outcome && !open) outcome = reap();
    if (leaves) reap();
    if (outcome) busy_ = false;
    return outcome;
  }

  void stop(int signal) override {
    if (pid_ > 0) kill(pid_, signal);
  }

 private:
  void spawn() {
    int to_worker[2];
    int from_worker[2];
    if (pipe2(to_worker, O_CLOEXEC) != 0 || pipe2(from_worker, O_CLOEXEC) != 0) {
      throw io_error("open a pipe to", "a worker", errno);
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to_worker[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from_worker[1], STDOUT_FILENO);
    // Use a separate process group: Ctrl-C reaches only this process, which forwards it once.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    std::vector<char*> arguments;
    for (auto& argument : command_.arguments) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    std::vector<std::string> variables = environment();
    std::vector<char*> pointers;
    for (auto& variable : variables) pointers.push_back(variable.data());
    pointers.push_back(nullptr);
    const int failed = posix_spawn(&pid_, "/proc/self/exe", &actions, &attributes, arguments.data(),
                                   pointers.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(to_worker[0]);
    close(from_worker[1]);
    input_ = to_worker[1];
    output_ = from_worker[0];
    fcntl(output_, F_SETFL, O_NONBLOCK);
    if (failed != 0) {
      pid_ = -1;
      close_pipes();
      throw io_error("start", "a worker process", failed);
    }
  }

  std::vector<std::string> environment() const {
    std::vector<std::string> variables;
    for (char** each = environ; *each != nullptr; ++each) {
      const std::string variable = *each;
      if (!command_.environment.contains(variable.substr(0, variable.find('=')))) {
        variables.push_back(variable);
      }
    }
    for (const auto& [name, value] : command_.environment) variables.push_back(name + "=" + value);
    variables.push_back(kParentVariable + ("=" + std::to_string(getpid())));
    return variables;
  }

  /// Reads all available data; false once the worker has closed its end of the pipe.
  bool read_replies() {
    char bytes[4096];
    for (;;) {
      const ssize_t count = read(output_, bytes, sizeof bytes);
      if (count > 0) {
        buffer_.append(bytes, static_cast<size_t>(count));
      } else if (count < 0 && errno == EINTR) {
        continue;
      } else {
        return count < 0 && errno == EAGAIN;
      }
    }
  }

  /// Waits for a worker that has exited or is exiting and returns the outcome of its job.
  NodeOutcome reap() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    close_pipes();
    buffer_.clear();
    NodeOutcome outcome;
    // Before a worker handles signals, they end it; it has no state to save then.
    const bool stopped = WIFEXITED(status)
                             ? WEXITSTATUS(status) == static_cast<int>(Exit::kInterrupted)
                             : is_stop_signal(WTERMSIG(status));
    outcome.end = stopped ? End::kStopped : End::kFailed;
    outcome.killed = !stopped && WIFSIGNALED(status);
    outcome.reason = stopped ? "its worker was stopped"
                             : "its worker process " + how_it_ended(status) + " while " + doing_;
    return outcome;
  }

  void close_pipes() const {
    close(input_);
    close(output_);
  }

  WorkerCommand command_;
  Progress progress_;
  std::string doing_;  ///< the job, in words
  std::string buffer_;
  pid_t pid_ = -1;
  int input_ = -1, output_ = -1;
  bool busy_ = false;
};

}  // namespace

std::unique_ptr<Worker> make_worker_process(WorkerCommand command) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is reported by poll()
  return std::make_unique<WorkerProcess>(std::move(command));
}

void serve_nodes(const Graph& graph, int replies) {
  std::signal(SIGPIPE, SIG_IGN);
  // Terminate the worker when its parent dies.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const char* parent = std::getenv(kParentVariable);
  if (parent != nullptr && std::to_string(getppid()) != parent) return;  // parent has already died
  // A signal may reach this process directly and then again through the parent.
  ignore_repeats_from(getppid());
  std::string text;
  while (std::getline(std::cin, text)) {
    const Json line = Json::parse(text);
    NodeJob job{
        &graph.at(line.at("node").get<std::string>()), line.at("folder").get<std::string>(), {}};
    for (const auto& [worker, folder] : line.at("inputs").items()) {
      job.inputs[worker] = folder.get<std::string>();
    }
    for (const auto& folder : line.at("same_stem")) {
      job.same_stem.emplace_back(folder.get<std::string>());
    }
    if (line.contains("pause_at")) job.pause_at = line.at("pause_at").get<int64_t>();
    auto shown = std::chrono::steady_clock::time_point();
    const NodeOutcome outcome = run_node(job, [&](const std::string& progress) {
      const auto now = std::chrono::steady_clock::now();
      if (now - shown < kProgressPeriod) return;
      shown = now;
      write_line(replies, {{"progress", progress}});
    });
    const bool leaves = stop_requested() || outcome.broken;
    Json reply = outcome;
    reply["leaves"] = leaves;
    write_line(replies, reply);
    if (leaves) return;
  }
}

}  // namespace lvtext
