#include "framework/cli/sweep_slurm.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/log.h"
#include "framework/core/base/signals.h"
#include "framework/core/tensor/device.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

void submit_missing(const SweepRequest& request, const OpenSweep& opened, const SlurmFile& settings,
                    const SweepStage& stage, const std::vector<const TrialRun*>& missing,
                    const GraphStatus& status, Session& session) {
  const SweepPlan& plan = opened.plan;
  SlurmCommand command{settings, request.print, request.wait, {}};
  command.words = graph_arguments(request, opened, session);
  command.words.insert(command.words.begin(), fs::read_symlink("/proc/self/exe").string());
  const fs::path folder = sweep_report_folder(opened, session);
  const auto add = [&command](const std::string& flag, const std::string& value) {
    command.words.insert(command.words.end(), {flag, value});
  };
  add("--report", folder.string());
  if (stage.pause_at) add("--pause-at", std::to_string(*stage.pause_at));
  if (!settings.file.empty()) add("--slurm", fs::absolute(settings.file).string());
  const SlurmWork work{.recipe = opened.slurm_name(),
                       .profile = plan.profile,
                       .job_name = plan.sweep.sweep,
                       .graph = &plan.graph,
                       .rows = rows_of(missing),
                       .targets = targets_of(plan, stage, missing),
                       .report = folder,
                       .is_sweep = true};
  submit_tasks(command, work, status, session);
}

/// Follows the jobs of a sweep until all have ended; those of a rung submit those of the next one.
void wait_for_jobs(const OpenSweep& opened, Session& session) {
  while (!active_task_ids(opened.slurm_name()).empty()) {
    std::this_thread::sleep_for(std::chrono::seconds(5));
  }
  const SweepPlan& plan = opened.plan;
  const GraphStatus status = sweep_status(plan.graph, RunsFolder(session.runs), /*retry=*/false);
  const auto missing = std::ssize(missing_runs(plan, stage_of(plan, status), status));
  if (missing > 0) {
    log_error(plan.sweep.sweep + ": " + format_count(missing, "training") +
              " not finished; run the command again to submit what is missing");
  }
  if (missing > 0) session.result = Exit::kSomeFailed;
  report_failures(opened, status, session);
}

}  // namespace

void submit_sweep(const SweepRequest& request, const OpenSweep& opened, const SlurmFile& settings,
                  bool retry, Session& session) {
  const SweepPlan& plan = opened.plan;
  // Before the states of nodes, so that a task which ends in between is finished or active.
  const std::set<std::string> active =
      request.print ? std::set<std::string>() : active_task_ids(opened.slurm_name());
  const GraphStatus status = sweep_status(plan.graph, RunsFolder(session.runs), retry);
  const SweepStage stage = stage_of(plan, status);
  check_first_rung(plan, stage, status);
  std::vector<const TrialRun*> missing = missing_runs(plan, stage, status);
  if (missing.empty()) {
    write_sweep_report(opened, status, session);
    report_failures(opened, status, session);
    return;
  }
  std::erase_if(missing, [&](const TrialRun* run) {
    return active.contains(row_id(rows_of({run}).front().row, run->seed));
  });
  if (!missing.empty()) {
    submit_missing(request, opened, settings, stage, missing, status, session);
  } else if (session.json) {
    print_sweep_status(opened, status, /*as_json=*/true);
  } else {
    print_text(format_count(std::ssize(active), "task") + " queued or running");
  }
  if (request.wait && !request.print) wait_for_jobs(opened, session);
}

void run_sweep_task(const SweepRequest& request, Session& session) {
  const TaskJob job = read_task(request.task);
  decide_auto_device(job.file.device);
  const OpenSweep opened = open_sweep_plan(request, session, /*check=*/false);
  const SweepPlan& plan = opened.plan;
  check_graph(job, plan.graph);
  std::vector<const TrialRun*> runs;
  for (const TrialRun& run : plan.runs) runs.push_back(&run);
  const std::set<std::string> pausing = pausing_trainings(plan, runs);
  std::vector<std::string> targets = job.task().nodes;
  const bool pauses = request.pause_at &&
                      std::any_of(targets.begin(), targets.end(),
                                  [&](const std::string& node) { return pausing.contains(node); });
  if (pauses) {  // all others are inputs, which run to their end
    std::erase_if(targets, [&](const std::string& node) {
      return plan.graph.at(node).kind == NodeKind::kTrain && !pausing.contains(node);
    });
  }
  if (!targets.empty()) {
    const StopSignals signals;
    ExecutorOptions options;
    options.workers = worker_of(job);
    if (pauses) options.pause_at = request.pause_at;
    const GraphStatus ended =
        run_graph(plan.graph, targets, RunsFolder(session.runs), std::move(options));
    for (const auto& node : targets) {
      const NodeState state = ended.at(node).state;
      if (state != NodeState::kFailed && state != NodeState::kBlocked) continue;
      log_error(node + (state == NodeState::kFailed ? " failed: " : " is blocked: ") +
                ended.at(node).reason);
      session.result = Exit::kSomeFailed;
    }
  }
  if (!job.is_last()) return;
  const GraphStatus status = sweep_status(plan.graph, RunsFolder(session.runs), /*retry=*/false);
  write_sweep_report(opened, status, session);
  const SweepStage stage = stage_of(plan, status);
  const bool has_next = request.pause_at && stage.pause_at != request.pause_at;
  if (has_next && !missing_runs(plan, stage, status).empty()) {
    submit_sweep(request, opened, read_slurm_settings(request.slurm), /*retry=*/false, session);
  }
  report_failures(opened, status, session);
}

}  // namespace lvtext
