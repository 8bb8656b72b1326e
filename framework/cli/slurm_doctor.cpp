#include "framework/cli/slurm_doctor.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/json.h"
#include "framework/core/base/lock.h"
#include "framework/core/base/log.h"
#include "framework/core/base/program.h"
#include "framework/core/base/signals.h"
#include "framework/core/tensor/device.h"
#include "framework/pipeline/slurm/jobs.h"
#include "framework/pipeline/slurm/queue.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using std::chrono::seconds;

// Slurm sends the warning up to a minute early.
constexpr int64_t kWarning = 90;
constexpr const char* kTime = "2";
constexpr seconds kPatience(100);

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Waits until `holds`, a stop request or the end of patience.
template <class Condition>
bool wait_until(const Condition& holds) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!holds() && !stop_requested() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  return holds();
}

/// What every start of a task sees.
Json seen_by_job() {
  Json seen = {{"node", variable("SLURMD_NODENAME")},
               {"restarts", std::strtoll(variable("SLURM_RESTART_COUNT").c_str(), nullptr, 10)},
               {"cuda", cuda_available() ? "" : cuda_problem()}};
  try {
    seen["scontrol"] =
        run_program({"scontrol", "show", "job", variable("SLURM_JOB_ID")}, /*quiet=*/true).code;
  } catch (const Error&) {
    seen["scontrol"] = -1;
  }
  return seen;
}

/// Holds a lock until the warning, saves and asks to be requeued; the next start finds what was
/// saved.
void hold_lock(const fs::path& folder, Session& session) {
  const fs::path saved = folder / "saved.json";
  std::error_code failed;
  Json seen = seen_by_job();
  if (fs::exists(saved, failed)) {
    seen["saved"] = parse_json(read_file(saved));
    write_file_atomic(folder / "1.json", seen.dump() + "\n");
    return;
  }
  const StopSignals signals;
  const FolderLock lock(folder / "locked");
  write_file_atomic(folder / "holds.json", seen.dump() + "\n");
  wait_until([] { return stop_requested(); });
  if (!stop_requested()) {
    seen["problem"] = "no warning";
    write_file_atomic(folder / "1.json", seen.dump() + "\n");
    return;
  }
  seen["signal"] = stop_signal();
  write_file_atomic(saved, seen.dump() + "\n");
  session.result = Exit::kInterrupted;
}

/// Tries to take the lock that the other task holds.
void try_lock(const fs::path& folder) {
  Json seen = seen_by_job();
  const StopSignals signals;
  std::error_code failed;
  const fs::path held = folder / "holds.json";
  if (wait_until([&] { return fs::exists(held, failed); })) {
    try {
      const FolderLock lock(folder / "locked");
      seen["lock"] = "taken twice";
    } catch (const Interrupted&) {
      seen["lock"] = "seen";
    } catch (const Error& error) {
      seen["lock"] = error.what();
    }
  }
  // Stays while the other task is requeued, which must not requeue this one.
  wait_until([&] { return fs::exists(folder / "saved.json", failed); });
  std::this_thread::sleep_for(seconds(3));
  write_file_atomic(folder / "2.json", seen.dump() + "\n");
}

Json read_result(const fs::path& file) {
  std::error_code failed;
  if (!fs::exists(file, failed)) return Json::object();
  Json json = parse_json(read_file(file));
  return json.is_object() ? json : Json::object();
}

struct Finding {
  std::string check, state, advice;
};

std::vector<Finding> findings_of(const fs::path& folder, const SlurmSettings& settings) {
  const Json one = read_result(folder / "1.json"), two = read_result(folder / "2.json");
  const Json saved = read_result(folder / "saved.json");
  const Json holds = read_result(folder / "holds.json");
  std::vector<Finding> all;
  const auto add = [&all](const std::string& check, bool holds, const std::string& advice) {
    all.push_back({check, holds ? "works" : "FAILED", holds ? "" : advice});
  };
  const bool has_started = !holds.empty();
  const std::string logs = "see " + (folder / "logs").string();
  add("jobs start and write to this folder", has_started,
      logs + "; the folder must be on a file system of all nodes");
  if (!has_started) return all;
  add("warning before the time limit", !saved.empty(),
      "set `warning` longer than one save; " + logs);
  add("requeue and resume of a task", one.contains("saved") && one.value("restarts", 0) > 0,
      "the cluster must allow `--requeue` (JobRequeue=1) and `scontrol requeue` by users");
  add("the other task is not requeued", two.value("restarts", -1) == 0, logs);
  add("scontrol on compute nodes", holds.value("scontrol", -1) == 0,
      "add its folder to PATH in `setup`; without it a task ends at the time limit and the command "
      "must be run again");
  const std::string first = holds.value("node", ""), second = two.value("node", "");
  if (first == second || second.empty()) {
    all.push_back({"lock of another node", "not checked",
                   "both tasks ran on " + first + "; needs two free nodes"});
  } else {
    add("lock of another node", two.value("lock", "") == "seen",
        "locks hold on one node only (Lustre: mount with flock; NFS: version 4): do not run two "
        "commands that share trainings on two nodes at a time");
  }
  if (settings.has_gpus()) {
    const std::string problem = holds.value("cuda", "");
    add("CUDA", problem.empty(), problem + "; check `gpus`, `partition` and `setup`");
  } else {
    all.push_back({"CUDA", "not checked", "`gpus` is 0"});
  }
  return all;
}

}  // namespace

void check_cluster(Session& session) {
  SlurmFile file = read_slurm_settings("");
  SlurmSettings& settings = file.settings;
  settings.time = kTime;
  settings.warning = kWarning;
  settings.attempts = 1;
  settings.parallel.reset();
  settings.options.emplace_back("--exclusive");  // two nodes
  const fs::path shown = fs::path("slurm") / ("doctor-" + std::to_string(std::time(nullptr)));
  const fs::path folder = fs::absolute(shown);
  for (const char* part : {"logs", "attempts", "locked"}) make_folders(folder / part);
  const fs::path script = folder / "doctor.sbatch";
  const Stage stage{"doctor", {1, 2}};
  write_file_atomic(script,
                    sbatch_file(stage, settings, "lvtext.doctor", folder, fs::current_path(),
                                {fs::read_symlink("/proc/self/exe").string(), "doctor"}));
  const std::string job = submit({"sbatch", "--parsable", "--array=1-2", script.string()});
  log_info("job " + job +
           ", up to five minutes after its start; logs: " + (shown / "logs").string());
  const std::vector<SubmittedJob> jobs = {{job, stage.name, stage.tasks}};
  ProgressLine line;
  for (;;) {
    const auto active = active_tasks(jobs);
    if (active.empty()) break;
    const auto running = std::count_if(active.begin(), active.end(),
                                       [](const ActiveTask& task) { return task.is_running; });
    line.update(std::to_string(running) + " running, " +
                std::to_string(std::ssize(active) - running) + " queued");
    std::this_thread::sleep_for(seconds(1));
  }
  line.clear();
  const std::vector<Finding> findings = findings_of(folder, settings);
  std::vector<std::vector<std::string>> rows;
  Json list = Json::array();
  for (const Finding& each : findings) {
    rows.push_back({each.check, each.state, each.advice});
    list.push_back({{"check", each.check}, {"state", each.state}, {"advice", each.advice}});
    if (each.state == "FAILED") session.result = Exit::kSomeFailed;
  }
  if (session.json) return print_json({{"schema", "lvtext.doctor-slurm/1"}, {"checks", list}});
  print_table({"check", "state", "what to change"}, rows);
}

void run_cluster_probe(const std::string& task, Session& session) {
  const size_t colon = task.rfind(':');
  const fs::path folder = fs::path(task.substr(0, colon)).parent_path();
  if (task.substr(colon + 1) == "1") return hold_lock(folder, session);
  try_lock(folder);
}

}  // namespace lvtext
