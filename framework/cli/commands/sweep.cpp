#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <functional>
#include <memory>
#include <set>

#include "framework/cli/commands/commands.h"
#include "framework/cli/flags.h"
#include "framework/cli/open_sweep.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/sweep_slurm.h"
#include "framework/cli/values.h"
#include "framework/cli/workers.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/lock.h"
#include "framework/core/base/log.h"
#include "framework/core/base/signals.h"
#include "framework/core/tensor/device.h"
#include "framework/pipeline/graph/worker_process.h"

namespace lvtext {
namespace {

constexpr const char* kReport = "./reports/sweeps/NAME";
/// How often a training is resumed whose worker was killed.
constexpr int kRestarts = 20;

std::vector<std::unique_ptr<Worker>> workers_for(const SweepRequest& request,
                                                 const OpenSweep& opened, const Session& session) {
  std::vector<std::string> arguments = graph_arguments(request, opened, session);
  arguments.insert(arguments.begin(), "lvtext");
  arguments.emplace_back("--worker");
  const auto& nodes = opened.plan.graph.nodes();
  const bool on_cpu = std::none_of(nodes.begin(), nodes.end(), [](const GraphNode& node) {
    return node.kind == NodeKind::kTrain && node.options.at("train").at("device") != "cpu";
  });
  return make_workers(request.workers, on_cpu, std::ssize(opened.plan.runs), arguments);
}

/// Computes what is missing, rung after rung, and returns the states of all nodes. `one_process`:
/// in this process, beside others that compute the same sweep.
GraphStatus compute(const SweepRequest& request, const OpenSweep& opened, const Session& session,
                    bool retry, bool one_process) {
  const SweepPlan& plan = opened.plan;
  const StopSignals signals;
  GraphStatus status = sweep_status(plan.graph, RunsFolder(session.runs), retry);
  std::set<size_t> begun;  // trials, for --trials
  for (;;) {
    const SweepStage stage = stage_of(plan, status);
    check_first_rung(plan, stage, status);
    std::vector<const TrialRun*> missing = missing_runs(plan, stage, status);
    std::erase_if(missing, [&](const TrialRun* run) {
      if (!request.trials || begun.contains(run->trial)) return false;
      if (std::ssize(begun) >= *request.trials) return true;
      begun.insert(run->trial);
      return false;
    });
    if (missing.empty()) return status;
    log_info(plan.sweep.sweep + ": " + format_count(std::ssize(missing), "training") + " of " +
             format_count(std::ssize(plan.runs)) +
             (stage.pause_at ? " up to step " + std::to_string(*stage.pause_at) : ""));
    ExecutorOptions options;
    if (!one_process) options.workers = workers_for(request, opened, session);
    options.pause_at = stage.pause_at;
    options.restarts = kRestarts;
    options.status = std::move(status);
    const GraphStatus ended = run_graph(plan.graph, targets_of(plan, stage, missing),
                                        RunsFolder(session.runs), std::move(options));
    status = sweep_status(plan.graph, RunsFolder(session.runs), /*retry=*/false);
    for (const auto& [node, entry] : ended) {  // also those without a file
      const bool failed = entry.state == NodeState::kFailed || entry.state == NodeState::kBlocked ||
                          entry.state == NodeState::kSkipped;
      if (failed) status[node] = entry;
    }
    const SweepStage next = stage_of(plan, status);
    const bool is_stuck = next.pause_at == stage.pause_at && next.trials == stage.trials &&
                          missing_runs(plan, next, status) == missing;
    LVT_ASSERT(!is_stuck, "the trainings of a sweep ended without a result");
  }
}

void run(const SweepRequest& request, bool retry, Session& session) {
  if (!request.task.empty()) return run_sweep_task(request, session);
  request.check(request.workers.has_value());
  if (request.worker) {
    check_threads();
    const OpenSweep opened = open_sweep_plan(request, session, /*check=*/false);
    const StopSignals signals;
    serve_nodes(opened.plan.graph, STDOUT_FILENO);
    if (stop_requested()) session.result = Exit::kInterrupted;
    return;
  }
  if (request.is_slurm()) {
    const SlurmFile settings = read_slurm_settings(request.slurm);
    decide_auto_device(settings.settings.has_gpus() ? "cuda" : "cpu");
    return submit_sweep(request, open_sweep_plan(request, session), settings, retry, session);
  }
  const OpenSweep opened = open_sweep_plan(request, session);
  const FolderLock lock(opened.folder.path);
  check_threads();
  const GraphStatus status = compute(request, opened, session, retry, /*one_process=*/false);
  write_sweep_report(opened, status, session);
  report_failures(opened, status, session);
}

void work(const SweepRequest& request, Session& session) {
  const OpenSweep opened = open_sweep_plan(request, session);
  check_threads();
  const GraphStatus status =
      compute(request, opened, session, /*retry=*/false, /*one_process=*/true);
  print_sweep_status(opened, status, session.json);
  report_failures(opened, status, session);
}

void show_status(const SweepRequest& request, Session& session) {
  const OpenSweep opened = open_sweep_plan(request, session);
  print_sweep_status(opened, sweep_status(opened.plan.graph, RunsFolder(session.runs), false),
                     session.json);
}

void write_only_report(const SweepRequest& request, Session& session) {
  const OpenSweep opened = open_sweep_plan(request, session);
  write_sweep_report(opened, sweep_status(opened.plan.graph, RunsFolder(session.runs), false),
                     session);
}

void add(const SweepRequest& request, Session& session) {
  size_t trial = 0;
  const OpenSweep opened =
      open_sweep_plan(request, session, /*check=*/true, [&](SweepFolder& folder) {
        const Sweep& sweep = folder.sweep;
        session.recipe(sweep.recipe, sweep.profile, request.overrides);  // throws for wrong values
        trial = add_trial(folder, request.overrides);
      });
  if (session.json) return print_json({{"schema", "lvtext.sweep-add/1"}, {"trial", trial + 1}});
  print_text(described_trial(trial, opened.folder.trials[trial]));
}

void stop(const SweepRequest& request, Session& session) {
  const SweepFolder folder = open_sweep_folder(request, session, /*check=*/false);
  bool stopped = false;
  for (const auto& job : cancel_jobs("sweep/" + folder.sweep.sweep)) {
    print_text("canceled: Slurm job " + job);
    stopped = true;
  }
  if (is_owned(folder.path)) {
    const auto owner = read_lock_owner(folder.path);
    const bool is_here = owner && owner->host == current_owner().host;
    if (!is_here || ::kill(static_cast<pid_t>(owner->pid), SIGTERM) != 0) {
      throw Error(Exit::kSomeFailed, "the sweep is computed by " +
                                         (owner ? describe_owner(*owner) : "another process") +
                                         ", which cannot be stopped from here");
    }
    print_text("stopping " + describe_owner(*owner) + ", which saves first");
    stopped = true;
  }
  if (!stopped) print_text("nothing is running");
}

CLI::App* add_one(CLI::App& group, Session& session, const std::shared_ptr<SweepRequest>& request,
                  const char* name, const char* help,
                  const std::function<void(const SweepRequest&, Session&)>& work) {
  CLI::App* command = group.add_subcommand(name, help);
  command
      ->add_option("SWEEP", request->sweep,
                   "a sweep file, <paper>/sweeps/<name> of the recipes, or the folder of a sweep "
                   "(sweeps/NAME)")
      ->required();
  add_mirror(*command, request->mirror);
  add_runs_folder(*command, session);
  add_json(*command, session);
  command->callback([request, work, &session] { work(*request, session); });
  return command;
}

void add_computing(CLI::App& group, Session& session, const std::shared_ptr<SweepRequest>& request,
                   const char* name, const char* help, bool retry) {
  CLI::App* command =
      add_one(group, session, request, name, help,
              [retry](const SweepRequest& given, Session& used) { run(given, retry, used); });
  add_executor(*command, *request);
  command
      ->add_option("--workers", request->workers,
                   "number of parallel trainings (default: one per GPU; on a CPU one per core, at "
                   "most 4)")
      ->check(whole_number(1, 1024))
      ->type_name("N");
  add_report_folder(*command, session, kReport);
  // Internal: worker processes and jobs.
  command->add_flag("--worker", request->worker)->group("");
  command->add_option("--task", request->task)->group("");
  command->add_option("--pause-at", request->pause_at)->group("");
}

}  // namespace

void add_sweep(CLI::App& app, Session& session) {
  CLI::App* group =
      app.add_subcommand("sweep", "searches for good settings of a recipe by training variants");
  group->require_subcommand(1);
  const auto request = std::make_shared<SweepRequest>();
  add_computing(*group, session, request, "run", "computes missing trials and writes the report",
                /*retry=*/false);
  CLI::App* command =
      add_one(*group, session, request, "work",
              "computes missing trials in this process, beside others that do the same", work);
  command->add_option("--trials", request->trials, "number of trials to compute (default: all)")
      ->check(whole_number(1))
      ->type_name("N");
  add_one(*group, session, request, "status", "shows the trials, their states and values",
          show_status);
  add_computing(*group, session, request, "retry", "computes failed and missing trials again",
                /*retry=*/true);
  command = add_one(*group, session, request, "add", "adds a trial with given settings", add);
  command->add_option("OVERRIDES", request->overrides, "path=value for each path of the space")
      ->required();
  add_one(*group, session, request, "stop", "stops the processes or jobs of a sweep, which save",
          stop);
  command = add_one(*group, session, request, "report", "writes the report from finished trials",
                    write_only_report);
  add_report_folder(*command, session, kReport);
}

}  // namespace lvtext
