// Settings of a cluster: slurm.yaml.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/options/options.h"

namespace lvtext {

/// A count of GPUs as sbatch takes it, "2" or "a100:2"; none for other texts.
std::optional<int64_t> gpus_in(const std::string& text);
/// A time limit as sbatch takes it ("90", "4:00:00", "1-12") in seconds; none for other texts.
std::optional<int64_t> time_limit_in(const std::string& text);
/// What is wrong with a further sbatch option; empty if nothing is.
std::string problem_of_option(const std::string& option);

/// Resources of each job and limits of all. Not part of a recipe, of identities or of results.
struct SlurmSettings {
  std::string partition, account, qos;
  std::string gpus = "0";
  int64_t cpus = 4;
  std::string memory, time;
  std::optional<int64_t> parallel;
  int64_t attempts = 20;
  int64_t warning = 120;
  std::vector<std::string> setup, options;

  template <class V>
  void visit(V& v) {
    v.field("partition", partition, "partition of the jobs; empty: the cluster's default");
    v.field("account", account, "account that is charged; empty: the user's default");
    v.field("qos", qos, "quality of service; empty: the default");
    v.field("gpus", gpus,
            "GPUs per job, `1` or `a100:1`; a training uses one. With GPUs, `device: auto` of a "
            "recipe is cuda, else cpu");
    v.field("cpus", cpus, "CPU cores per job, which are its threads", in_range(1, 4096));
    v.field("memory", memory, "memory per job: `32G`; empty: the cluster's default");
    v.field("time", time,
            "time limit of a job: `4:00:00`; empty: the partition's. A training that takes longer "
            "is saved and resumed");
    v.field("parallel", parallel, "maximum number of tasks of a stage that run at a time",
            in_range(1, 100'000));
    v.field("attempts", attempts, "how often a job that reaches its time limit is queued again",
            in_range(0, 1000));
    v.field("warning", warning,
            "time before the limit at which a job saves and ends; longer than one save and one "
            "training step",
            in_range(1, 65'535), unit("seconds"));
    v.field("setup", setup, "lines of shell before lvtext: `module load cuda`");
    v.field("options", options, "further options of sbatch: `--constraint=a100`");
    v.check(gpus_in(gpus).has_value(),
            "gpus: '" + gpus + "' is neither a number nor TYPE:NUMBER, such as a100:1");
    const auto limit = time_limit_in(time);
    v.check(time.empty() || limit.has_value(),
            "time: '" + time +
                "' is no time limit; allowed: MINUTES, MINUTES:SECONDS, HOURS:MINUTES:SECONDS, "
                "DAYS-HOURS, DAYS-HOURS:MINUTES, DAYS-HOURS:MINUTES:SECONDS");
    v.check(!limit || *limit > warning, "warning: " + std::to_string(warning) +
                                            " seconds are not shorter than the time limit " + time);
    for (const std::string& option : options) {
      const std::string problem = problem_of_option(option);
      v.check(problem.empty(), "options: " + problem);
    }
  }

  bool has_gpus() const { return gpus_in(gpus).value_or(0) > 0; }
};

/// Settings and the file that they are from.
struct SlurmFile {
  std::filesystem::path file;  ///< empty: there is none
  SlurmSettings settings;
};

/// Reads `given`; if it is empty slurm.yaml of the working directory, else of the user's
/// configuration ($XDG_CONFIG_HOME/lvtext, by default ~/.config/lvtext), else the defaults. Throws
/// MissingError for a `given` file that does not exist, ConfigError with all mistakes.
SlurmFile read_slurm_settings(const std::filesystem::path& given);

}  // namespace lvtext
