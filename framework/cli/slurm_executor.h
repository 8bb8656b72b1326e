// `--executor slurm`: submits the tasks of a command, and runs one task in its job.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/plan/experiment.h"
#include "framework/pipeline/slurm/jobs.h"
#include "framework/pipeline/slurm/settings.h"

namespace lvtext {

class Session;

/// What to submit, and how.
struct SlurmCommand {
  SlurmFile settings;
  bool print = false;              ///< write and show the files, submit nothing
  bool wait = false;               ///< follow the jobs until all have ended
  std::vector<std::string> words;  ///< the command of a task, without `--task`
};

/// What the tasks compute. The graph must outlive it.
struct SlurmWork {
  std::string recipe, profile;
  std::string job_name;  ///< the stage is appended
  const Graph* graph = nullptr;
  std::vector<RowSeed> rows;
  std::vector<std::string> targets;
  std::filesystem::path report;  ///< folder that the last task writes; empty: none
  bool is_sweep = false;         ///< the command of the sweep names what has not finished
};

/// The rows of a recipe at their seeds, and its report unless only trainings run (empty `report`).
SlurmWork work_of(const Experiment& experiment, const std::filesystem::path& report);

/// Writes `slurm/<recipe>-<profile>-<hash8>/` and submits the tasks that are not finished and
/// neither queued nor running, stage after stage. Throws DeviceError without Slurm, Interrupted if
/// another process is submitting.
void submit_tasks(const SlurmCommand& command, const SlurmWork& work, const GraphStatus& status,
                  Session& session);

/// The rows ("ROW#SEED") of all submissions of a recipe whose task is queued or running, and the
/// ids of tasks without a row.
std::set<std::string> active_task_ids(const std::string& recipe);
/// Cancels all queued and running jobs of a recipe; returns their numbers.
std::vector<std::string> cancel_jobs(const std::string& recipe);

/// A task of a file, which this process runs.
struct TaskJob {
  TaskFile file;
  size_t index = 0;

  const Task& task() const { return file.tasks.at(index); }
  bool is_last() const { return index + 1 == file.tasks.size() && task().stage == kLastStage; }
};

/// Reads the value of `--task`, "FILE:N". Throws UsageError, and what read_task_file() throws.
TaskJob read_task(const std::string& text);
/// Throws ConfigError if the graph is not that of the file any more.
void check_graph(const TaskJob& job, const Graph& graph);
/// A worker in this process that refuses trainings of other tasks, which did not finish them.
std::vector<std::unique_ptr<Worker>> worker_of(const TaskJob& job);

}  // namespace lvtext
