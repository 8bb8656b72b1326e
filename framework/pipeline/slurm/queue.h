// Submitted jobs, and which of them are queued or running.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lvtext {

/// A submitted job array.
struct SubmittedJob {
  std::string job;  ///< Slurm's number
  std::string stage;
  std::vector<size_t> tasks;
};

/// The jobs of a folder, in `submitted.jsonl`; empty if there is no file. Throws DataError.
std::vector<SubmittedJob> submitted_jobs(const std::filesystem::path& folder);
void add_submitted(const std::filesystem::path& folder, const SubmittedJob& job);

/// A task of a job that is queued or running.
struct ActiveTask {
  std::string job;
  size_t task = 0;
  bool is_running = false;
};

/// The output of `squeue --array --format="%F_%K %t"` of these jobs; other lines are ignored.
std::vector<ActiveTask> active_tasks(const std::vector<SubmittedJob>& jobs,
                                     const std::string& squeue);
/// The same from Slurm. Throws DeviceError if there is no Slurm or it does not answer.
std::vector<ActiveTask> active_tasks(const std::vector<SubmittedJob>& jobs);

/// Runs `words` (sbatch ... --parsable) and returns the number of the job. Throws DeviceError.
std::string submit(const std::vector<std::string>& words);

}  // namespace lvtext
