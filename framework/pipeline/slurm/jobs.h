// The files from which Slurm runs the tasks of a command.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "framework/pipeline/slurm/settings.h"
#include "framework/pipeline/slurm/tasks.h"

namespace lvtext {

/// tasks.jsonl: the tasks of a command. In the file, a task has the number of its line after the
/// first one, which is its index in Slurm's arrays.
struct TaskFile {
  std::string recipe, profile;
  std::string device;  ///< what `device: auto` means
  std::string graph;   ///< hash of the identities of all nodes of the tasks
  std::vector<Task> tasks;
};

/// The hash of the identities of all nodes of the tasks.
std::string hash_of(const Graph& graph, const std::vector<Task>& tasks);

std::string to_json_lines(const TaskFile& file);
/// Throws MissingError, or DataError naming the line.
TaskFile read_task_file(const std::filesystem::path& path);

/// A job array: the tasks of one stage that are submitted together.
struct Stage {
  std::string name;
  std::vector<size_t> tasks;  ///< indices, from 1
};

/// "1,3-5%8": indices as sbatch takes them; `parallel`: how many run at a time.
std::string array_text(const std::vector<size_t>& tasks, const std::optional<int64_t>& parallel);

/// `<stage>.sbatch`. `folder`: absolute, with tasks.jsonl; `working`: the working directory of the
/// jobs; `command`: what runs a task, without `--task`.
std::string sbatch_file(const Stage& stage, const SlurmSettings& settings, const std::string& name,
                        const std::filesystem::path& folder, const std::filesystem::path& working,
                        const std::vector<std::string>& command);

}  // namespace lvtext
