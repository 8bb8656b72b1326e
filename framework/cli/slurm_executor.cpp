#include "framework/cli/slurm_executor.h"

#include <algorithm>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/json.h"
#include "framework/core/base/lock.h"
#include "framework/core/base/log.h"
#include "framework/core/base/program.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/options/numbers.h"
#include "framework/core/tensor/device.h"
#include "framework/pipeline/slurm/queue.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

/// The rows at their seeds; a row without training has the scores of its cells.
std::vector<RowSeed> rows_of(const Experiment& experiment) {
  std::vector<RowSeed> rows;
  for (const auto& row : experiment.rows) {
    for (const auto& [seed, node] : row.trained) rows.push_back({row.id, seed, node, {}});
    if (!row.trained.empty()) continue;
    RowSeed fixed{row.id, std::nullopt, "", {}};
    for (const auto& [metric, cell] : row.cells) {
      for (const auto& [seed, node] : cell.scores) fixed.results.push_back(node);
    }
    if (!fixed.results.empty()) rows.push_back(std::move(fixed));
  }
  return rows;
}

void cancel(std::vector<std::string> jobs) {
  if (jobs.empty()) return;
  jobs.insert(jobs.begin(), "scancel");
  const ProgramEnd end = run_program(jobs);
  if (end.code != 0) throw DeviceError("scancel ended with code " + std::to_string(end.code));
}

/// The submission of a command: its files, and the state of its tasks.
class Submission {
 public:
  Submission(const SlurmCommand& command, const SlurmWork& work, const GraphStatus& status,
             const fs::path& runs)
      : command_(command), work_(work), status_(status), runs_(runs) {
    file_.recipe = work.recipe;
    file_.profile = work.profile;
    file_.device = command.settings.settings.has_gpus() ? "cuda" : "cpu";
    file_.tasks = split_into_tasks(*work.graph, work.rows, work.targets);
    if (work.report.empty() && file_.tasks.back().nodes.empty()) file_.tasks.pop_back();
    file_.graph = hash_of(*work.graph, file_.tasks);
    const std::string lines = to_json_lines(file_);
    const auto words = std::vector(command.words.begin() + 1, command.words.end());
    shown_ = fs::path("slurm") / (file_.recipe + "-" + file_.profile + "-" +
                                  sha256(lines + join(words, "\n")).substr(0, 8));
    folder_ = fs::absolute(shown_);
    for (const char* part : {"logs", "attempts"}) make_folders(folder_ / part);
    write_file_atomic(folder_ / "tasks.jsonl", lines);
    for (const auto& name : stages_of(file_.tasks)) {
      Stage stage{name, {}};
      for (size_t i = 0; i < file_.tasks.size(); ++i) {
        if (file_.tasks[i].stage == name) stage.tasks.push_back(i + 1);
      }
      write_file_atomic(file_of(name), text_of(stage));
      stages_.push_back(std::move(stage));
    }
  }

  /// Shows the tasks, the files and the commands that would submit them all.
  void print(bool as_json) const {
    if (as_json) return print_all({}, {});
    std::vector<std::vector<std::string>> rows;
    for (size_t i = 0; i < file_.tasks.size(); ++i) {
      const Task& task = file_.tasks[i];
      rows.push_back({std::to_string(i + 1), task.stage, task.id,
                      format_count(std::ssize(task.nodes)),
                      is_finished(i + 1) ? "finished" : "missing"});
    }
    print_table({"task", "stage", "id", "nodes", "state"}, rows);
    std::string before;
    for (const Stage& stage : stages_) {
      const auto file = shown_ / (stage.name + ".sbatch");
      print_text("\n# " + file.string() + "\n" + read_file(file_of(stage.name)));
    }
    print_text("\nnot submitted; without --print:");
    for (const Stage& stage : stages_) {
      print_text("sbatch" + before + quoted_words({(shown_ / (stage.name + ".sbatch")).string()}));
      before += (before.empty() ? " --dependency=afterany:" : ":") + ("JOB-OF-" + stage.name);
    }
  }

  /// Submits what is missing and is neither queued nor running.
  void submit_missing(bool as_json) {
    const FolderLock lock(folder_);
    std::vector<SubmittedJob> jobs = submitted_jobs(folder_);
    const std::vector<ActiveTask> active = active_tasks(jobs);
    if (!jobs.empty()) add_finished();
    std::map<std::string, std::string> added;  // stage -> job
    std::vector<std::string> earlier;          // jobs of earlier stages that have not ended
    for (const Stage& stage : stages_) {
      const bool is_last = stage.name == kLastStage;
      const auto tasks = missing_of(stage, active, is_last && !added.empty());
      std::vector<std::string> own = active_jobs(stage, jobs, active);
      if (!tasks.empty()) {
        const SubmittedJob job{submit(sbatch_words(stage, tasks, earlier)), stage.name, tasks};
        add_submitted(folder_, job);
        if (is_last) cancel(queued_jobs(stage, active));  // this one replaces them
        jobs.push_back(job);
        own.push_back(job.job);
        added[stage.name] = job.job;
        log_info(stage.name + ": job " + job.job + " with " + format_tasks(tasks.size()));
      }
      earlier.insert(earlier.end(), own.begin(), own.end());
    }
    if (as_json) {
      print_all(added, active);
    } else if (!added.empty()) {
      print_text("submitted: " + shown_.string() +
                 "\nqueue: squeue --me\nlogs: " + (shown_ / "logs").string() + "/TASK.txt");
    } else {
      print_text(active.empty() ? "all tasks are finished"
                                : format_tasks(active.size()) + " queued or running");
    }
    if (as_json || work_.report.empty() || !earlier.empty()) return;
    print_text("report: " + (work_.report / "index.html").string());
  }

  /// Follows the jobs until all have ended.
  void wait() const {
    constexpr std::chrono::seconds kFirst(1), kMaxPause(30);
    const auto jobs = submitted_jobs(folder_);
    ProgressLine line;
    for (auto period = kFirst;; period = std::min(kMaxPause, period * 2)) {
      const auto active = active_tasks(jobs);
      if (active.empty()) return;
      const auto running = std::count_if(active.begin(), active.end(),
                                         [](const ActiveTask& task) { return task.is_running; });
      line.update(
          format_tasks(file_.tasks.size()) + ": " + std::to_string(running) + " running, " +
          std::to_string(std::ssize(active) - running) + " queued, " +
          std::to_string(std::max<int64_t>(0, std::ssize(file_.tasks) - std::ssize(active))) +
          " ended (Ctrl-C leaves them)");
      std::this_thread::sleep_for(period);
    }
  }

  const fs::path& shown() const { return shown_; }

 private:
  static std::string format_tasks(size_t count) {
    return std::to_string(count) + (count == 1 ? " task" : " tasks");
  }
  fs::path file_of(const std::string& stage) const { return folder_ / (stage + ".sbatch"); }

  std::string text_of(const Stage& stage) const {
    return sbatch_file(stage, command_.settings.settings, work_.job_name + "." + stage.name,
                       folder_, fs::current_path(), command_.words);
  }

  /// Adds the nodes that tasks finished after the states were read, and before the queue was.
  void add_finished() {
    const GraphStatus now = graph_status(*work_.graph, RunsFolder(runs_));
    for (auto& [node, entry] : status_) {
      if (now.at(node).state == NodeState::kFinished) entry = now.at(node);
    }
  }

  bool is_finished(size_t task) const {
    const Task& each = file_.tasks[task - 1];
    if (each.stage == kLastStage && !has_report()) return false;
    return std::all_of(each.nodes.begin(), each.nodes.end(), [this](const std::string& node) {
      return status_.at(node).state == NodeState::kFinished;
    });
  }

  bool has_report() const {
    std::error_code failed;
    return work_.report.empty() || fs::exists(work_.report / "index.html", failed);
  }

  /// `anew`: also tasks that are finished, queued or running.
  std::vector<size_t> missing_of(const Stage& stage, const std::vector<ActiveTask>& active,
                                 bool anew) const {
    std::vector<size_t> missing;
    for (const size_t task : stage.tasks) {
      const bool is_active = std::any_of(active.begin(), active.end(),
                                         [&](const ActiveTask& each) { return each.task == task; });
      if (anew || (!is_active && !is_finished(task))) missing.push_back(task);
    }
    return missing;
  }

  static std::vector<std::string> active_jobs(const Stage& stage,
                                              const std::vector<SubmittedJob>& jobs,
                                              const std::vector<ActiveTask>& active) {
    std::vector<std::string> names;
    for (const SubmittedJob& job : jobs) {
      const bool is_active = std::any_of(active.begin(), active.end(), [&](const ActiveTask& each) {
        return each.job == job.job;
      });
      if (is_active && job.stage == stage.name) names.push_back(job.job);
    }
    return names;
  }

  /// The jobs of a stage that wait to be started.
  static std::vector<std::string> queued_jobs(const Stage& stage,
                                              const std::vector<ActiveTask>& active) {
    std::set<std::string> names;
    for (const ActiveTask& each : active) {
      const bool is_own =
          std::find(stage.tasks.begin(), stage.tasks.end(), each.task) != stage.tasks.end();
      if (is_own && !each.is_running) names.insert(each.job);
    }
    return {names.begin(), names.end()};
  }

  std::vector<std::string> sbatch_words(const Stage& stage, const std::vector<size_t>& tasks,
                                        const std::vector<std::string>& earlier) const {
    std::vector<std::string> words = {
        "sbatch", "--parsable",
        "--array=" + array_text(tasks, command_.settings.settings.parallel)};
    if (!earlier.empty()) words.push_back("--dependency=afterany:" + join(earlier, ":"));
    words.push_back(file_of(stage.name).string());
    return words;
  }

  void print_all(const std::map<std::string, std::string>& jobs,
                 const std::vector<ActiveTask>& active) const {
    auto tasks = nlohmann::ordered_json::array();
    for (size_t i = 0; i < file_.tasks.size(); ++i) {
      const Task& task = file_.tasks[i];
      const auto found = std::find_if(active.begin(), active.end(),
                                      [&](const ActiveTask& each) { return each.task == i + 1; });
      tasks.push_back({{"task", i + 1},
                       {"stage", task.stage},
                       {"id", task.id},
                       {"state", found != active.end() ? found->is_running ? "running" : "queued"
                                 : is_finished(i + 1)  ? "finished"
                                                       : "missing"}});
    }
    auto stages = nlohmann::ordered_json::array();
    for (const Stage& stage : stages_) {
      const auto job = jobs.find(stage.name);
      stages.push_back({{"name", stage.name},
                        {"file", (shown_ / (stage.name + ".sbatch")).string()},
                        {"tasks", stage.tasks},
                        {"submitted", job == jobs.end() ? nlohmann::ordered_json(nullptr)
                                                        : nlohmann::ordered_json(job->second)}});
    }
    print_json({{"schema", "lvtext.slurm/1"},
                {"folder", shown_.string()},
                {"device", file_.device},
                {"stages", stages},
                {"tasks", tasks}});
  }

  const SlurmCommand& command_;
  const SlurmWork& work_;
  GraphStatus status_;
  fs::path runs_, shown_, folder_;
  TaskFile file_;
  std::vector<Stage> stages_;
};

/// Runs nodes in this process, except trainings that are not in `own`.
class TaskWorker : public Worker {
 public:
  explicit TaskWorker(const std::vector<std::string>& own) : own_(own.begin(), own.end()) {}

  void start(const NodeJob& job, Progress progress) override {
    if (job.node->kind != NodeKind::kTrain || own_.contains(job.node->name)) {
      return inner_->start(job, std::move(progress));
    }
    refused_ = NodeOutcome();
    refused_->end = NodeOutcome::End::kFailed;
    refused_->reason = reason_of(job.folder);
  }
  std::optional<NodeOutcome> poll() override {
    return refused_ ? std::exchange(refused_, std::nullopt) : inner_->poll();
  }
  void stop(int signal) override { inner_->stop(signal); }

 private:
  static std::string reason_of(const fs::path& folder) {
    std::error_code failed;
    if (fs::exists(folder / kFailureFile, failed)) {
      const auto failure = parse_json(read_file(folder / kFailureFile));
      if (failure.is_object()) return failure.value("reason", "");
    }
    return "its task did not finish it";
  }

  std::set<std::string> own_;
  std::unique_ptr<Worker> inner_ = make_local_worker();
  std::optional<NodeOutcome> refused_;
};

}  // namespace

SlurmWork work_of(const Experiment& experiment, const fs::path& report) {
  const Recipe& recipe = experiment.recipe;
  return {.recipe = recipe.options.recipe,
          .profile = recipe.profile.empty() ? "default" : recipe.profile,
          .job_name = experiment.table,
          .graph = &experiment.graph,
          .rows = rows_of(experiment),
          .targets = experiment.targets(/*training_only=*/report.empty()),
          .report = report};
}

void submit_tasks(const SlurmCommand& command, const SlurmWork& work, const GraphStatus& status,
                  Session& session) {
  Submission submission(command, work, status, session.runs);
  const auto& file = command.settings.file;
  log_info(file.empty() ? "no slurm.yaml: the cluster's defaults, without GPUs"
                        : "settings: " + file.string());
  if (command.print) return submission.print(session.json);
  submission.submit_missing(session.json);
  if (!command.wait) return;
  submission.wait();
  if (work.is_sweep) return;
  const auto now = graph_status(*work.graph, RunsFolder(session.runs));
  size_t missing = 0;
  for (const auto* node : work.graph->needed_for(work.targets)) {
    if (now.at(node->name).state != NodeState::kFinished) ++missing;
  }
  if (missing == 0) return;
  log_error(std::to_string(missing) + " nodes are not finished: " +
            (submission.shown() / "logs").string() + "; run the command again to submit them");
  session.result = Exit::kSomeFailed;
}

namespace {

/// The folders of all submissions of a recipe.
std::vector<fs::path> submissions_of(const std::string& recipe) {
  const fs::path shown = fs::path("slurm") / recipe;
  std::vector<fs::path> folders;
  std::error_code failed;
  if (!fs::is_directory(shown.parent_path(), failed)) return folders;
  for (const auto& entry : fs::directory_iterator(shown.parent_path())) {
    const fs::path tasks = entry.path() / "tasks.jsonl";
    const bool may_be =
        entry.path().filename().string().starts_with(shown.filename().string() + "-") &&
        fs::exists(tasks, failed);
    // Names of other recipes may begin with this one.
    if (may_be && read_task_file(tasks).recipe == recipe) folders.push_back(entry.path());
  }
  return folders;
}

}  // namespace

std::set<std::string> active_task_ids(const std::string& recipe) {
  std::set<std::string> ids;
  for (const auto& folder : submissions_of(recipe)) {
    const auto active = active_tasks(submitted_jobs(folder));
    if (active.empty()) continue;
    const TaskFile file = read_task_file(folder / "tasks.jsonl");
    for (const ActiveTask& each : active) {
      const Task& task = file.tasks.at(each.task - 1);
      ids.insert(task.row.empty() ? task.id : row_id(task.row, task.seed));
    }
  }
  return ids;
}

std::vector<std::string> cancel_jobs(const std::string& recipe) {
  std::set<std::string> jobs;
  for (const auto& folder : submissions_of(recipe)) {
    for (const ActiveTask& each : active_tasks(submitted_jobs(folder))) jobs.insert(each.job);
  }
  const std::vector<std::string> names(jobs.begin(), jobs.end());
  cancel(names);
  return names;
}

TaskJob read_task(const std::string& text) {
  const size_t colon = text.rfind(':');
  const std::string number = colon == std::string::npos ? "" : text.substr(colon + 1);
  const auto index = static_cast<size_t>(parse_int(number).value_or(0));
  TaskJob job{read_task_file(text.substr(0, colon)), index - 1};
  if (index < 1 || index > job.file.tasks.size()) {
    throw UsageError("--task: '" + number + "' is no task of the file; allowed: 1 to " +
                     std::to_string(job.file.tasks.size()));
  }
  return job;
}

void check_graph(const TaskJob& job, const Graph& graph) {
  std::set<std::string> names;
  for (const auto& node : graph.nodes()) names.insert(node.name);
  bool is_same = true;
  for (const Task& task : job.file.tasks) {
    for (const auto& node : task.nodes) is_same = is_same && names.contains(node);
  }
  if (is_same && hash_of(graph, job.file.tasks) == job.file.graph) return;
  throw ConfigError(
      "the recipe, its data or lvtext has changed since this task was submitted; run the command "
      "with --executor slurm again");
}

std::vector<std::unique_ptr<Worker>> worker_of(const TaskJob& job) {
  std::vector<std::unique_ptr<Worker>> workers;
  workers.push_back(std::make_unique<TaskWorker>(job.task().nodes));
  return workers;
}

}  // namespace lvtext
