#include "framework/pipeline/slurm/queue.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/json.h"
#include "framework/core/base/program.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/numbers.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kFile = "submitted.jsonl";

/// The output of a program of Slurm.
std::string output_of(const std::vector<std::string>& words) {
  const ProgramEnd end = run_program(words);
  if (end.code != 0) {
    throw DeviceError(words.front() + " ended with code " + std::to_string(end.code) +
                      "; its message is above");
  }
  return end.output;
}

}  // namespace

std::vector<SubmittedJob> submitted_jobs(const std::filesystem::path& folder) {
  std::vector<SubmittedJob> jobs;
  std::error_code failed;
  const auto file = folder / kFile;
  if (!std::filesystem::exists(file, failed)) return jobs;
  for (const auto& line : split(read_file(file), '\n')) {
    if (line.empty()) continue;
    try {
      const Json json = parse_json(line);
      if (json.contains("schema")) continue;
      jobs.push_back({json.at("job"), json.at("stage"), json.at("tasks")});
    } catch (const nlohmann::json::exception& error) {
      throw DataError(file.string() + ": " + json_reason(error));
    }
  }
  return jobs;
}

void add_submitted(const std::filesystem::path& folder, const SubmittedJob& job) {
  std::error_code failed;
  const auto file = folder / kFile;
  const std::string before = std::filesystem::exists(file, failed)
                                 ? read_file(file)
                                 : Json{{"schema", "lvtext.submitted/1"}}.dump() + "\n";
  const Json line = {{"job", job.job}, {"stage", job.stage}, {"tasks", job.tasks}};
  write_file_atomic(file, before + line.dump() + "\n");
}

std::vector<ActiveTask> active_tasks(const std::vector<SubmittedJob>& jobs,
                                     const std::string& squeue) {
  std::vector<ActiveTask> active;
  for (const auto& line : split(squeue, '\n')) {
    const auto words = split(trim(line), ' ');
    const auto ids = split(words.front(), '_');
    if (words.size() != 2 || ids.size() != 2) continue;
    const bool is_known = std::any_of(
        jobs.begin(), jobs.end(), [&](const SubmittedJob& job) { return job.job == ids.front(); });
    if (!is_known) continue;
    active.push_back({ids.front(), static_cast<size_t>(parse_int(ids.back()).value_or(0)),
                      words.back() != "PD"});
  }
  return active;
}

std::vector<ActiveTask> active_tasks(const std::vector<SubmittedJob>& jobs) {
  if (jobs.empty()) return {};
  return active_tasks(jobs,
                      output_of({"squeue", "--me", "--noheader", "--array", "--format=%F_%K %t"}));
}

std::string submit(const std::vector<std::string>& words) {
  const std::string output = output_of(words);
  // "JOB" or "JOB;CLUSTER"
  const std::string job(trim(output.substr(0, output.find(';'))));
  if (job.empty()) throw DeviceError("sbatch did not print the number of the job");
  return job;
}

}  // namespace lvtext
