// A sweep as the commands open it: its graph, the states of its trials and its report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "framework/cli/flags.h"
#include "framework/pipeline/sweep/plan.h"

namespace lvtext {

class Session;

/// The arguments of a command on a sweep.
struct SweepRequest : ExecutorFlags {
  std::string sweep, mirror, task;
  std::optional<int64_t> workers, trials, pause_at;
  bool worker = false;
  std::vector<std::string> overrides;
};

/// A sweep with its graph.
struct OpenSweep {
  SweepFolder folder;
  SweepPlan plan;

  /// The name of its submissions.
  std::string slurm_name() const { return "sweep/" + plan.sweep.sweep; }
};

/// Finds and checks a sweep without building its graph. `check`: also each value of the space
/// against the options of the recipe. Throws ConfigError with all mistakes.
SweepFolder open_sweep_folder(const SweepRequest& request, Session& session, bool check);
/// Builds the graph, which checks all trials, before it writes the folder. `change`: adds trials.
OpenSweep open_sweep_plan(const SweepRequest& request, Session& session, bool check = true,
                          const std::function<void(SweepFolder&)>& change = {});
/// The arguments of a command that builds the same graph.
std::vector<std::string> graph_arguments(const SweepRequest& request, const OpenSweep& opened,
                                         const Session& session);

/// Prints the trials with their states; `as_json`: all of it, for programs that add trials.
void print_sweep_status(const OpenSweep& opened, const GraphStatus& status, bool as_json);
/// The folder of the report: `--report`, else that of the sweep's name.
std::filesystem::path sweep_report_folder(const OpenSweep& opened, const Session& session);
/// Prints the table of the trials and writes the report.
void write_sweep_report(const OpenSweep& opened, const GraphStatus& status, Session& session);
/// If trainings of trials or their scores failed or are blocked, reports how many and how they are
/// computed again, and sets the exit code 1.
void report_failures(const OpenSweep& opened, const GraphStatus& status, Session& session);

}  // namespace lvtext
