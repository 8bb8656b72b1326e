#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <thread>

#include "framework/cli/commands/commands.h"
#include "framework/cli/flags.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/slurm_executor.h"
#include "framework/cli/values.h"
#include "framework/cli/versions.h"
#include "framework/cli/workers.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/files.h"
#include "framework/core/base/lock.h"
#include "framework/core/base/log.h"
#include "framework/core/base/signals.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/numbers.h"
#include "framework/core/tensor/device.h"
#include "framework/pipeline/graph/worker_process.h"
#include "framework/pipeline/sweep/sweep_report.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// How often a training is resumed whose worker was killed.
constexpr int kRestarts = 20;

struct SweepRequest : ExecutorFlags {
  std::string sweep, mirror, out, task;
  std::optional<int64_t> workers, trials, pause_at;
  bool worker = false;
  std::vector<std::string> overrides;
};

// The space

/// The values of the paths that must be set for a dimension to be set.
void add_conditions(const Sweep& sweep, const Dimension& dimension,
                    std::vector<PathValue>& values) {
  for (const auto& [path, allowed] : dimension.when) {
    for (const Dimension& other : sweep.dimensions) {
      if (other.path != path) continue;
      add_conditions(sweep, other, values);
      values.push_back({path, allowed.front(), other.location});
    }
  }
}

/// Checks every value of a list and both ends of a range against the options of the recipe. Throws
/// ConfigError with all mistakes.
void check_space(const Sweep& sweep, Session& session) {
  const std::string profile = session.recipe(sweep.recipe, sweep.profile, {}).recipe.profile;
  std::vector<std::string> reports;  // a wrong path is the same mistake for all values
  for (const Dimension& dimension : sweep.dimensions) {
    for (const Node& value : dimension.range.empty() ? dimension.values : dimension.range) {
      std::vector<PathValue> values;
      add_conditions(sweep, dimension, values);
      values.push_back({dimension.path, value, dimension.location});
      Errors errors;
      check_recipe(
          load_recipe({sweep.recipe, profile, "", {}, session.installation, values}, errors),
          session.registries(), errors);
      if (errors.empty()) continue;
      std::string report = errors.report();
      report.erase(report.rfind('\n'));  // the number of mistakes
      if (std::find(reports.begin(), reports.end(), report) == reports.end()) {
        reports.push_back(std::move(report));
      }
    }
  }
  if (reports.empty()) return;
  throw ConfigError(join(reports, "\n") + "\nnothing was started.");
}

/// A sweep with its graph.
struct OpenSweep {
  SweepFolder folder;
  SweepPlan plan;
  fs::path runs;

  /// The name of its submissions.
  std::string slurm_name() const { return "sweep/" + plan.sweep.sweep; }
};

/// A file or folder, or the file of a name beside the recipes.
fs::path located(const std::string& sweep, const Session& session) {
  std::error_code failed;
  for (const fs::path& root : {fs::path("recipes"), session.installation / "recipes"}) {
    const fs::path file = root / (sweep + ".yaml");
    if (!fs::exists(sweep, failed) && fs::is_regular_file(file, failed)) return file;
  }
  return sweep;
}

SweepFolder open_folder(const SweepRequest& request, Session& session, bool check) {
  if (!request.out.empty()) session.runs = request.out;
  const fs::path sweep = located(request.sweep, session);
  std::error_code failed;
  if (check && !fs::is_directory(sweep, failed)) check_space(read_sweep(sweep), session);
  return open_sweep(sweep, "sweeps");
}

/// Builds the graph, which checks all trials, before it writes the folder. `change`: adds trials.
OpenSweep open_plan(const SweepRequest& request, Session& session, bool check = true,
                    const std::function<void(SweepFolder&)>& change = {}) {
  for (;;) {  // until no other process has added trials meanwhile
    OpenSweep opened{open_folder(request, session, check), {}, session.runs};
    if (change) change(opened.folder);
    const Sweep& sweep = opened.folder.sweep;
    opened.plan = plan_sweep(opened.folder, session.registries(), data_locations(request.mirror),
                             [&](const std::vector<std::string>& overrides) {
                               return session.recipe(sweep.recipe, sweep.profile, overrides);
                             });
    if (save_sweep(opened.folder)) return opened;
  }
}

// Results

Json space_json(const Sweep& sweep) {
  Json space = Json::array();
  for (const Dimension& dimension : sweep.dimensions) {
    Json each = {{"path", dimension.path}};
    if (dimension.range.empty()) {
      each["values"] = Json::array();
      for (const Node& value : dimension.values) each["values"].push_back(override_text(value));
    } else {
      each["low"] = dimension.low();
      each["high"] = dimension.high();
      each["log"] = dimension.log;
      each["integer"] = dimension.integer;
    }
    each["when"] = Json::object();
    for (const auto& [path, allowed] : dimension.when) {
      for (const Node& value : allowed) each["when"][path].push_back(override_text(value));
    }
    space.push_back(std::move(each));
  }
  return space;
}

/// Prints the trials with their states; `--json`: all of it, for programs that add trials.
void print_status(const OpenSweep& opened, const GraphStatus& status, bool as_json) {
  const SweepPlan& plan = opened.plan;
  const SweepStage stage = stage_of(plan, status);
  std::vector<std::string> header = {"trial"};
  for (const Dimension& dimension : plan.sweep.dimensions) header.push_back(dimension.path);
  header.insert(header.end(), {"state", "objective", "seeds", "reason"});
  std::vector<std::vector<std::string>> rows;
  Json trials = Json::array();
  for (size_t i = 0; i < plan.trials.size(); ++i) {
    const Trial& trial = plan.trials[i];
    const TrialResult result = result_of(plan, i, status);
    const auto ended = stage.ended.find(i);
    const bool is_ended = ended != stage.ended.end() && result.state != NodeState::kFinished;
    const std::string state =
        is_ended && result.state != NodeState::kFailed ? "ended" : enum_name(result.state);
    const std::string reason =
        is_ended ? "not continued after step " + std::to_string(ended->second.first)
        : result.state == NodeState::kFailed ? result.reason
                                             : "";
    std::vector<std::string> row = {std::to_string(i + 1)};
    for (const Dimension& dimension : plan.sweep.dimensions) {
      const std::string* value = value_of(trial.setting, dimension.path);
      row.push_back(value ? *value : "-");
    }
    std::set<int64_t> seeds;
    for (const TrialRun* run : plan.runs_of(i)) seeds.insert(run->seed);
    row.insert(
        row.end(),
        {state, result.mean ? significant(*result.mean, 6) : "",
         std::to_string(result.by_seed.size()) + " of " + std::to_string(seeds.size()), reason});
    rows.push_back(std::move(row));
    Json values = Json::object(), setting = Json::object();
    for (const auto& [seed, value] : result.by_seed) values[std::to_string(seed)] = value;
    for (const auto& [path, value] : trial.setting) setting[path] = value;
    trials.push_back({{"trial", i + 1},
                      {"setting", setting},
                      {"state", state},
                      {"objective", result.mean ? Json(*result.mean) : Json(nullptr)},
                      {"by_seed", values},
                      {"reason", reason}});
  }
  if (!as_json) return print_table(header, rows);
  print_json({{"schema", "lvtext.sweep/1"},
              {"sweep", plan.sweep.sweep},
              {"folder", opened.folder.path.string()},
              {"search", enum_name(plan.sweep.search.type)},
              {"seed", plan.sweep.search.seed},
              {"mode", plan.sweep.objective.is_min() ? "min" : "max"},
              {"space", space_json(plan.sweep)},
              {"trials", trials}});
}

fs::path report_folder(const OpenSweep& opened, const Session& session) {
  return session.report.empty() ? fs::path("reports/sweeps") / opened.plan.sweep.sweep
                                : session.report;
}

/// Prints the table of the trials and writes the report.
void report(const OpenSweep& opened, const GraphStatus& status, Session& session) {
  const std::string version = version_text();
  const ReportData data = sweep_report(opened.plan, status, session.registries(),
                                       version.substr(0, version.find('\n')));
  if (session.json) {
    print_status(opened, status, /*as_json=*/true);
  } else {
    const ReportTable& table = data.tables.front();
    const TextTable texts = terminal_table(table.table);
    print_table(texts.columns, texts.rows);
    for (const auto& note : table_notes(table.table, table.notes)) print_text("- " + note);
  }
  const fs::path folder = report_folder(opened, session);
  refuse_empty_report(folder, data);
  write_report(folder, data);
  if (!session.json) print_text("report: " + (folder / "index.html").string());
}

bool has_failures(const SweepPlan& plan, const GraphStatus& status) {
  return std::any_of(plan.runs.begin(), plan.runs.end(), [&](const TrialRun& run) {
    const NodeState state = status.at(run.last()).state;
    return state == NodeState::kFailed || state == NodeState::kBlocked;
  });
}

// This machine

/// The arguments of a command that builds the same graph.
std::vector<std::string> graph_arguments(const SweepRequest& request, const OpenSweep& opened,
                                         const Session& session) {
  std::vector<std::string> arguments = {"sweep", "run", opened.folder.path.string(), "--out",
                                        session.runs.string()};
  if (!request.mirror.empty()) arguments.insert(arguments.end(), {"--mirror", request.mirror});
  for (const auto& file : session.plugin_files) {
    arguments.insert(arguments.end(), {"--plugin", file});
  }
  return arguments;
}

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
    const GraphStatus ended = run_graph(plan.graph, targets_of(stage, missing),
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

// Slurm

void submit_missing(const SweepRequest& request, const OpenSweep& opened, const SlurmFile& settings,
                    const SweepStage& stage, const std::vector<const TrialRun*>& missing,
                    const GraphStatus& status, Session& session) {
  const SweepPlan& plan = opened.plan;
  SlurmCommand command{settings, request.print, request.wait, {}};
  command.words = graph_arguments(request, opened, session);
  command.words.insert(command.words.begin(), fs::read_symlink("/proc/self/exe").string());
  const fs::path folder = report_folder(opened, session);
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
                       .targets = targets_of(stage, missing),
                       .report = folder,
                       .pauses = stage.pause_at.has_value()};
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
  if (missing > 0 || has_failures(plan, status)) session.result = Exit::kSomeFailed;
}

void submit(const SweepRequest& request, const OpenSweep& opened, const SlurmFile& settings,
            bool retry, Session& session) {
  const SweepPlan& plan = opened.plan;
  const GraphStatus status = sweep_status(plan.graph, RunsFolder(session.runs), retry);
  const SweepStage stage = stage_of(plan, status);
  std::vector<const TrialRun*> missing = missing_runs(plan, stage, status);
  if (missing.empty()) {
    report(opened, status, session);
    if (has_failures(plan, status)) session.result = Exit::kSomeFailed;
    return;
  }
  const std::set<std::string> active =
      request.print ? std::set<std::string>() : active_task_ids(opened.slurm_name());
  std::erase_if(missing, [&](const TrialRun* run) {
    return active.contains(rows_of({run}).front().row + "#" + std::to_string(run->seed));
  });
  if (!missing.empty()) {
    submit_missing(request, opened, settings, stage, missing, status, session);
  } else if (session.json) {
    print_status(opened, status, /*as_json=*/true);
  } else {
    print_text(format_count(std::ssize(active), "task") + " queued or running");
  }
  if (request.wait && !request.print) wait_for_jobs(opened, session);
}

/// Runs a task in its job. The last one of a submission writes the report and submits the next
/// rung.
void run_task(const SweepRequest& request, Session& session) {
  const TaskJob job = read_task(request.task);
  decide_auto_device(job.file.device);
  const OpenSweep opened = open_plan(request, session, /*check=*/false);
  const SweepPlan& plan = opened.plan;
  check_graph(job, plan.graph);
  std::set<std::string> trainings;  // those that pause
  for (const TrialRun& run : plan.runs) trainings.insert(run.trained);
  std::vector<std::string> targets = job.task().nodes;
  const bool pauses =
      request.pause_at && std::any_of(targets.begin(), targets.end(), [&](const std::string& node) {
        return trainings.contains(node);
      });
  if (pauses) {  // all others are inputs, which run to their end
    std::erase_if(targets, [&](const std::string& node) {
      return plan.graph.at(node).kind == NodeKind::kTrain && !trainings.contains(node);
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
  report(opened, status, session);
  const SweepStage stage = stage_of(plan, status);
  const bool has_next = request.pause_at && stage.pause_at != request.pause_at;
  if (has_next && !missing_runs(plan, stage, status).empty()) {
    submit(request, opened, read_slurm_settings(request.slurm), /*retry=*/false, session);
  }
  if (has_failures(plan, status)) session.result = Exit::kSomeFailed;
}

// Commands

void run(const SweepRequest& request, bool retry, Session& session) {
  if (!request.task.empty()) return run_task(request, session);
  request.check(request.workers.has_value());
  if (request.worker) {
    check_threads();
    const OpenSweep opened = open_plan(request, session, /*check=*/false);
    const StopSignals signals;
    serve_nodes(opened.plan.graph, STDOUT_FILENO);
    if (stop_requested()) session.result = Exit::kInterrupted;
    return;
  }
  if (request.is_slurm()) {
    const SlurmFile settings = read_slurm_settings(request.slurm);
    decide_auto_device(settings.settings.has_gpus() ? "cuda" : "cpu");
    return submit(request, open_plan(request, session), settings, retry, session);
  }
  const OpenSweep opened = open_plan(request, session);
  const FolderLock lock(opened.folder.path);
  check_threads();
  const GraphStatus status = compute(request, opened, session, retry, /*one_process=*/false);
  report(opened, status, session);
  if (has_failures(opened.plan, status)) session.result = Exit::kSomeFailed;
}

void work(const SweepRequest& request, Session& session) {
  const OpenSweep opened = open_plan(request, session);
  check_threads();
  const GraphStatus status =
      compute(request, opened, session, /*retry=*/false, /*one_process=*/true);
  print_status(opened, status, session.json);
  if (has_failures(opened.plan, status)) session.result = Exit::kSomeFailed;
}

void show_status(const SweepRequest& request, Session& session) {
  const OpenSweep opened = open_plan(request, session);
  print_status(opened, sweep_status(opened.plan.graph, RunsFolder(session.runs), false),
               session.json);
}

void write_only_report(const SweepRequest& request, Session& session) {
  const OpenSweep opened = open_plan(request, session);
  report(opened, sweep_status(opened.plan.graph, RunsFolder(session.runs), false), session);
}

void add(const SweepRequest& request, Session& session) {
  size_t trial = 0;
  const OpenSweep opened = open_plan(request, session, /*check=*/true, [&](SweepFolder& folder) {
    const Sweep& sweep = folder.sweep;
    session.recipe(sweep.recipe, sweep.profile, request.overrides);  // throws for wrong values
    trial = add_trial(folder, request.overrides);
  });
  if (session.json) return print_json({{"schema", "lvtext.sweep-add/1"}, {"trial", trial + 1}});
  print_text(described_trial(trial, opened.folder.trials[trial]));
}

void stop(const SweepRequest& request, Session& session) {
  const SweepFolder folder = open_folder(request, session, /*check=*/false);
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
  add_runs_folder(*command, request->out);
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
  add_report_folder(*command, session);
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
  add_report_folder(*command, session);
}

}  // namespace lvtext
