// `--executor slurm`: submits the tasks of a command, and runs one task in its job.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/pipeline/experiment/experiment.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/slurm/jobs.h"
#include "framework/pipeline/slurm/settings.h"

namespace lvtext {

class Session;

/// What to submit, and how.
struct SlurmCommand {
  SlurmFile settings;
  bool print = false;              ///< write and show the files, submit nothing
  bool wait = false;               ///< follow the jobs until all have ended
  bool training_only = false;      ///< without a report
  std::vector<std::string> words;  ///< the command of a task, without `--task`
};

/// Writes `slurm/<recipe>-<profile>-<hash8>/` and submits the tasks that are not finished and
/// neither queued nor running, stage after stage. Throws DeviceError without Slurm, Interrupted if
/// another process is submitting.
void submit_tasks(const SlurmCommand& command, const Experiment& experiment,
                  const GraphStatus& status, Session& session);

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
