#include "framework/cli/commands/commands.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "framework/cli/flags.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/slurm_executor.h"
#include "framework/cli/values.h"
#include "framework/cli/versions.h"
#include "framework/cli/workers.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/disk.h"
#include "framework/core/base/log.h"
#include "framework/core/base/program.h"
#include "framework/core/base/signals.h"
#include "framework/core/base/strings.h"
#include "framework/core/tensor/bf16_product.h"
#include "framework/core/tensor/device.h"
#include "framework/pipeline/graph/estimate.h"
#include "framework/pipeline/graph/worker_process.h"
#include "framework/pipeline/plan/experiment.h"
#include "framework/pipeline/results/rating.h"
#include "framework/pipeline/results/report_request.h"
#include "framework/pipeline/results/results.h"

namespace lvtext {
namespace {

struct Request : ExecutorFlags {
  std::string recipe, profile, mirror, rows;
  std::optional<int64_t> seeds, workers, max_nodes, pause_at;
  bool dry_run = false;
  bool worker = false;
  std::string task;  ///< FILE:N, in a job of Slurm
  std::vector<std::string> overrides;
};

enum class Mode { kReproduce, kTrain, kReport };

ExperimentRequest requested_of(const Request& request) {
  ExperimentRequest requested;
  requested.rows = name_list("--rows", request.rows);
  requested.seeds = request.seeds;
  requested.locations = data_locations(request.mirror);
  if (request.max_nodes) requested.max_nodes = static_cast<size_t>(*request.max_nodes);
  return requested;
}

/// The recipe with the profile `paper` and without overrides; none if this is what runs, or if the
/// recipe has no such profile.
std::optional<Experiment> paper_experiment(const Request& request, const Experiment& experiment,
                                           Session& session) {
  const bool is_paper = experiment.recipe.profile == "paper" && request.overrides.empty();
  if (is_paper || !experiment.recipe.options.profiles.contains("paper")) return std::nullopt;
  return build_experiment(session.recipe(request.recipe, "paper", {}), session.registries(),
                          requested_of(request));
}

/// Prints finished nodes, nodes to run and their cost to standard error; standard output contains
/// only results.
void print_plan(const Experiment& experiment, const std::vector<const GraphNode*>& nodes,
                const GraphStatus& status, const Estimate& cost, size_t workers) {
  std::vector<std::string> missing;
  for (const auto* node : nodes) {
    const NodeState state = status.at(node->name).state;
    if (state == NodeState::kFinished) continue;
    missing.push_back(state == NodeState::kBegun ? node->name + " (interrupted)" : node->name);
  }
  const std::string& profile = experiment.recipe.profile;
  log_info(experiment.recipe.options.recipe + (profile.empty() ? "" : ", profile " + profile) +
           ": " + std::to_string(nodes.size() - missing.size()) + " of " +
           format_count(std::ssize(nodes), "node") + " finished");
  if (missing.empty()) return;
  constexpr size_t kNamed = 12;
  if (missing.size() > kNamed) {
    const size_t rest = missing.size() - kNamed;
    missing.resize(kNamed);
    missing.push_back("and " + std::to_string(rest) + " more (--dry-run lists them)");
  }
  log_info("to run on " + format_count(static_cast<int64_t>(workers), "worker") + ": " +
           join(missing) + "\ntime: " + estimate_text(cost, workers));
}

void print_dry_run(const std::vector<const GraphNode*>& nodes, const GraphStatus& status,
                   const Estimate& cost, size_t workers, const Request& request, bool as_json) {
  if (as_json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto* node : nodes) {
      list.push_back({{"name", node->name},
                      {"kind", enum_name(node->kind)},
                      {"component", node->component},
                      {"state", enum_name(status.at(node->name).state)},
                      {"identity", node->identity}});
      if (const auto found = cost.nodes.find(node->name); found != cost.nodes.end()) {
        list.back()["seconds"] = found->second.high;
        list.back()["seconds_low"] = found->second.low;
        list.back()["estimated"] = found->second.estimated;
        list.back()["memory_bytes"] = found->second.memory;
        list.back()["disk_bytes"] = found->second.disk;
      }
    }
    print_json({{"schema", "lvtext.plan/1"},
                {"workers", workers},
                {"seconds", cost.high},
                {"seconds_low", cost.low},
                {"memory_bytes", cost.memory},
                {"disk_bytes", cost.disk},
                {"not_measured", cost.unmeasured},
                {"nodes", list}});
    return;
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto* node : nodes) {
    const auto found = cost.nodes.find(node->name);
    const bool known = found != cost.nodes.end();
    const bool missing = status.at(node->name).state != NodeState::kFinished;
    const auto bytes = [&](double amount) {
      return known ? format_bytes(static_cast<uint64_t>(amount)) : std::string();
    };
    rows.push_back(
        {node->name, enum_name(node->kind), node->component, enum_name(status.at(node->name).state),
         node->identity.substr(0, 8),
         known     ? time_text(found->second.low, found->second.high, found->second.estimated)
         : missing ? "not measured"
                   : "",
         known ? bytes(found->second.memory) : "", known ? bytes(found->second.disk) : ""});
  }
  print_table({"node", "kind", "component", "state", "identity", "time", "memory", "disk"}, rows);
  print_text("time: " + estimate_text(cost, workers));
  const bool has_untimed = std::any_of(nodes.begin(), nodes.end(), [&](const GraphNode* node) {
    const auto found = cost.nodes.find(node->name);
    const bool is_timed = found != cost.nodes.end() && !found->second.estimated;
    return node->measure && status.at(node->name).state != NodeState::kFinished && !is_timed;
  });
  if (has_untimed) {
    print_text("`lvtext doctor --measure " + request.recipe +
               (request.profile.empty() ? "" : " --profile " + request.profile) +
               quoted_words(request.overrides) +
               "` measures a few steps of each training that was not measured on this machine");
  }
}

/// What changed in the recipe since the report that a new one replaces.
std::string replaced_text(const ReplacedReport& replaced) {
  constexpr size_t kShown = 10;
  std::vector<std::string> changes = replaced.changes;
  if (changes.size() > kShown) {
    const std::string rest = "and " + std::to_string(changes.size() - kShown) + " more";
    changes.resize(kShown);
    changes.push_back(rest);
  }
  return "changed since the previous report, which is kept in " + replaced.kept.string() + ":\n  " +
         join(changes, "\n  ");
}

/// Prints a table with its notes and checks; those that do not hold with their numbers.
void print_report_table(const ReportData& report, size_t index) {
  const ReportTable& table = report.tables[index];
  if (!table.is_shown()) return;
  if (index > 0) print_text("\n" + table_title(report, index) + "\n");
  const TextTable texts = terminal_table(table.table);
  print_table(texts.columns, texts.rows);
  for (const auto& note : table_notes(table.table, table.notes)) print_text("- " + note);
  if (!table.checks.empty()) print_text("");
  for (const auto& check : table.checks) {
    const bool holds = check.verdict == Verdict::kHolds;
    const std::string numbers = holds ? "" : comparison_text(check);
    print_text(check.check.id + ": " + verdict_name(check.verdict) +
               (numbers.empty() ? "" : ", " + check.check.expr + ": " + numbers));
  }
}

/// Prints the results, then writes the report. If writing fails, the error is logged and determines
/// the exit code unless nodes failed; the results are printed in any case.
void write_results(const Experiment& experiment, const Experiment* paper,
                   const ExperimentRequest& requested, GraphStatus& status, Session& session) {
  const std::string version = version_text();
  ReportData report = collect_results(experiment, paper, status, session.registries(),
                                      version.substr(0, version.find('\n')));
  report.ratings = rating_tables(experiment, session.report_folder(experiment, {}));
  if (session.json) {
    for (const std::string& warning : report.warnings) log_warning(warning);
    print_text(table_json(report.tables.front().table));
  } else {
    for (const std::string& warning : report.warnings) print_text("warning: " + warning + "\n");
    for (size_t i = 0; i < report.tables.size(); ++i) print_report_table(report, i);
  }
  const auto folder = session.report_folder(experiment, requested);
  try {
    refuse_empty_report(folder, report);
    const auto replaced = keep_previous_report(folder, experiment, requested);
    write_report(folder, report);
    write_report_request(folder, experiment, requested);
    if (replaced) log_info(replaced_text(*replaced));
  } catch (const Error& error) {
    log_error(error.what());
    session.result = error.code();
    return;
  }
  if (!session.json) print_text("report: " + (folder / "index.html").string());
}

/// The request of a report's folder: its recipe, profile, overrides, rows and seeds.
Request request_of_report(const Request& request, Session& session) {
  const std::filesystem::path folder = request.recipe;
  if (!request.profile.empty() || !request.overrides.empty() || !request.rows.empty() ||
      request.seeds) {
    throw UsageError("'" + request.recipe +
                     "' is the folder of a report, which has its own profile, overrides, rows and "
                     "seeds; to use others, give the recipe");
  }
  const ReportRequest report = read_report_request(folder);
  Request resolved = request;
  resolved.recipe = (folder / "recipe.yaml").string();
  resolved.profile = report.profile;
  resolved.overrides = report.overrides;
  resolved.rows = join(report.rows, ",");
  resolved.seeds = report.seeds;
  if (session.report.empty()) session.report = folder;
  return resolved;
}

/// Prints the trainings of each row with their folders.
void print_trainings(const Experiment& experiment, const GraphStatus& status, bool as_json) {
  auto list = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : experiment.rows) {
    for (const auto& [seed, node] : row.trained) {
      const NodeStatus& entry = status.at(node);
      list.push_back({{"row", row.id},
                      {"seed", seed},
                      {"state", enum_name(entry.state)},
                      {"identity", experiment.graph.at(node).identity},
                      {"folder", entry.folder.string()},
                      {"reason", entry.reason}});
      rows.push_back({row.id, std::to_string(seed), enum_name(entry.state), entry.folder.string()});
    }
  }
  if (as_json) return print_json({{"schema", "lvtext.train/1"}, {"trainings", list}});
  print_table({"row", "seed", "state", "folder"}, rows);
}

/// The arguments of a command that builds the same graph.
std::vector<std::string> graph_arguments(const Request& request, const Experiment& experiment,
                                         const Session& session) {
  std::vector<std::string> arguments = {request.recipe};
  arguments.insert(arguments.end(), request.overrides.begin(), request.overrides.end());
  const auto add = [&arguments](const std::string& flag, const std::string& value) {
    if (!value.empty()) arguments.insert(arguments.end(), {flag, value});
  };
  add("--profile", experiment.recipe.profile);
  add("--rows", request.rows);
  if (request.seeds) add("--seeds", std::to_string(*request.seeds));
  if (request.max_nodes) add("--max-nodes", std::to_string(*request.max_nodes));
  add("--mirror", request.mirror);
  add("--out", session.runs.string());
  for (const auto& file : session.plugin_files) add("--plugin", file);
  return arguments;
}

/// The command line of a worker.
std::vector<std::string> worker_arguments(const Request& request, const Experiment& experiment,
                                          const Session& session) {
  std::vector<std::string> arguments = graph_arguments(request, experiment, session);
  arguments.insert(arguments.begin(), {"lvtext", "reproduce"});
  arguments.emplace_back("--worker");
  return arguments;
}

/// What `--executor slurm` submits.
SlurmCommand slurm_command(const Request& request, const SlurmFile& settings, Mode mode,
                           const Experiment& experiment, Session& session) {
  SlurmCommand command{settings, request.print, request.wait, {}};
  command.words = graph_arguments(request, experiment, session);
  command.words.insert(command.words.begin(),
                       {std::filesystem::read_symlink("/proc/self/exe").string(),
                        mode == Mode::kTrain ? "train" : "reproduce"});
  if (mode != Mode::kTrain) {
    session.report = session.report_folder(experiment, requested_of(request));
    command.words.insert(command.words.end(), {"--report", session.report.string()});
  }
  return command;
}

/// Throws UsageError for flags of another executor.
void check_executor(const Request& request) {
  request.check(request.workers.has_value());
  if (request.is_slurm() && request.pause_at) {
    throw UsageError("--pause-at is only for `--executor local`");
  }
}

std::vector<std::unique_ptr<Worker>> workers_for(const Request& request,
                                                 const Experiment& experiment,
                                                 const std::vector<const GraphNode*>& nodes,
                                                 const Session& session) {
  // All trainings count, finished or not: the number of threads of a worker depends on the number
  // of workers, and the rounding of sums on the threads, so that an interrupted recipe would go on
  // with other numbers.
  const auto trainings = std::count_if(nodes.begin(), nodes.end(), [](const GraphNode* node) {
    return node->kind == NodeKind::kTrain;
  });
  const Node* device = experiment.recipe.options.train.find("device");
  return make_workers(request.workers, device && device->text() == "cpu", trainings,
                      worker_arguments(request, experiment, session));
}

/// Logs the reasons of failed nodes, except those that had failed in `logged`. True if any node has
/// failed.
bool log_failures(const std::vector<const GraphNode*>& nodes, const GraphStatus& status,
                  const GraphStatus& logged) {
  bool failed = false;
  for (const auto* node : nodes) {
    const NodeStatus& entry = status.at(node->name);
    if (entry.state != NodeState::kFailed) continue;
    failed = true;
    const auto before = logged.find(node->name);
    if (before == logged.end() || before->second.state != NodeState::kFailed) {
      log_error(node->name + " failed: " + entry.reason);
    }
  }
  return failed;
}

/// Checks the devices of all models that missing nodes train or read. Throws DeviceError.
void check_devices(const Graph& graph, const std::vector<const GraphNode*>& nodes,
                   const GraphStatus& status) {
  const auto check = [](const GraphNode& node) {
    if (node.kind == NodeKind::kTrain) {
      resolve_device(node.options.at("train").at("device").get<std::string>());
    }
  };
  for (const auto* node : nodes) {
    if (status.at(node->name).state == NodeState::kFinished) continue;
    check(*node);
    for (const auto& [name, input] : node->inputs) check(graph.at(input));
  }
}

/// The missing trainings with this precision on a CPU.
std::vector<std::string> trainings_on_cpu(const std::string& precision,
                                          const std::vector<const GraphNode*>& nodes,
                                          const GraphStatus& status) {
  std::vector<std::string> names;
  for (const auto* node : nodes) {
    const bool missing = status.at(node->name).state != NodeState::kFinished;
    if (!missing || node->kind != NodeKind::kTrain) continue;
    const auto& train = node->options.at("train");
    if (train.at("precision") == precision && train.at("device") == "cpu") {
      names.push_back(node->name);
    }
  }
  return names;
}

/// Logs a warning for trainings whose precision has no benefit over fp32 on this machine's CPU.
void warn_of_precision(const std::vector<const GraphNode*>& nodes, const GraphStatus& status) {
  if (const auto names = trainings_on_cpu("tf32", nodes, status); !names.empty()) {
    log_warning(
        "precision tf32 has no effect on a CPU, which computes in fp32; trainings with tf32: " +
        join(names));
  }
  const Bf16Support& bf16 = cpu_bf16_support();
  if (bf16.is_fast()) return;
  if (const auto names = trainings_on_cpu("bf16", nodes, status); !names.empty()) {
    log_warning("precision bf16 is slower than fp32 on this CPU: " + bf16.reason +
                "; trainings with bf16: " + join(names));
  }
}

void run(const Request& request, Mode mode, Session& session) {
  check_executor(request);
  // The executor decides the device, which is part of identities, before the recipe is read.
  std::optional<TaskJob> job;
  std::optional<SlurmFile> slurm;
  if (!request.task.empty()) {
    job = read_task(request.task);
    decide_auto_device(job->file.device);
  } else if (request.is_slurm()) {
    slurm = read_slurm_settings(request.slurm);
    decide_auto_device(slurm->settings.has_gpus() ? "cuda" : "cpu");
  }
  const CheckedRecipe recipe = session.recipe(request.recipe, request.profile, request.overrides);
  if (!request.worker && !job && mode != Mode::kReport) session.check_profiles(recipe);
  const Experiment experiment =
      build_experiment(recipe, session.registries(), requested_of(request));
  if (request.worker) {
    check_threads();
    const StopSignals signals;
    serve_nodes(experiment.graph, STDOUT_FILENO);
    // Not logged: the parent process reports the interruption.
    if (stop_requested()) session.result = Exit::kInterrupted;
    return;
  }
  if (job) check_graph(*job, experiment.graph);
  const bool is_part = job && !job->is_last();
  const auto targets = is_part ? job->task().nodes : experiment.targets(mode == Mode::kTrain);
  const auto nodes = experiment.graph.needed_for(targets);
  RunsFolder runs(session.runs);
  GraphStatus status = graph_status(experiment.graph, runs);
  log_failures(nodes, status, {});
  if (mode != Mode::kReport) {
    Measures measures(Measures::default_file());
    const Estimate cost = estimate(nodes, status, measures);
    ExecutorOptions options;
    options.workers = job ? worker_of(*job) : workers_for(request, experiment, nodes, session);
    options.if_busy = mode == Mode::kTrain && !job ? IfBusy::kRefuse : IfBusy::kWait;
    options.measures = &measures;
    options.pause_at = request.pause_at;
    const std::string warning = disk_warning(cost, free_bytes(session.runs), session.runs);
    if (request.dry_run) {
      print_dry_run(nodes, status, cost, options.workers.size(), request, session.json);
      if (!warning.empty()) log_warning(warning);
      return;
    }
    if (slurm) {
      const SlurmCommand command = slurm_command(request, *slurm, mode, experiment, session);
      const SlurmWork work = work_of(experiment, mode == Mode::kTrain ? "" : session.report);
      return submit_tasks(command, work, status, session);
    }
    check_threads();
    check_devices(experiment.graph, nodes, status);
    warn_of_precision(nodes, status);
    print_plan(experiment, nodes, status, cost, options.workers.size());
    if (!warning.empty()) log_warning(warning);
    const StopSignals signals;
    options.status = std::move(status);
    status = run_graph(experiment.graph, targets, std::move(runs), std::move(options));
  }
  const GraphStatus logged = status;  // the executor has logged these failures
  if (is_part) {
    // The last task of the command has the results.
  } else if (mode == Mode::kTrain) {
    print_trainings(experiment, status, session.json);
  } else {
    const auto paper = paper_experiment(request, experiment, session);
    write_results(experiment, paper ? &*paper : nullptr, requested_of(request), status, session);
  }
  const bool has_paused = std::any_of(nodes.begin(), nodes.end(), [&](const GraphNode* node) {
    return status.at(node->name).state == NodeState::kPaused;
  });
  if (has_paused) session.result = Exit::kInterrupted;
  if (log_failures(nodes, status, logged)) session.result = Exit::kSomeFailed;
}

void add_one(CLI::App& app, Session& session, const std::string& name, const std::string& help,
             Mode mode) {
  CLI::App* command = app.add_subcommand(name, help);
  auto request = std::make_shared<Request>();
  command
      ->add_option("RECIPE", request->recipe,
                   mode == Mode::kReport
                       ? "a file, a folder, <paper>/<table>, or the folder of a report"
                       : "a file, a folder, or <paper>/<table>")
      ->required();
  add_overrides(*command, request->overrides);
  add_profile(*command, request->profile);
  command->add_option("--rows", request->rows, "rows of the recipe (default: all)")
      ->type_name("A,B");
  command
      ->add_option(
          "--seeds", request->seeds,
          "number of trainings per row, with seeds seed, seed + 1, ... (default: the row's)")
      ->check(whole_number(1, kMaxSeeds));
  command
      ->add_option("--max-nodes", request->max_nodes,
                   "maximum number of nodes of the recipe (default: 5000)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  add_mirror(*command, request->mirror);
  add_runs_folder(*command, session);
  if (mode != Mode::kReport) {
    add_executor(*command, *request);
    command->add_option("--task", request->task)->group("");  // internal: set in jobs of Slurm
    command
        ->add_option(
            "--workers", request->workers,
            "number of parallel nodes (default: one per GPU; on a CPU one per core, at most 4, and "
            "at most one per training of the recipe)")
        ->check(whole_number(1, 1024))
        ->type_name("N");
    command->add_flag(
        "--dry-run", request->dry_run,
        "prints the nodes that would run, with estimates of time, memory and disk; does not "
        "check that data files exist (`lvtext data list`)");
    if (mode == Mode::kTrain) {
      command
          ->add_option("--pause-at", request->pause_at,
                       "step at which the trainings save and end with 75, to be continued by the "
                       "same command; not part of their identity")
          ->check(whole_number(1))
          ->type_name("STEP");
    }
    command->add_flag("--worker", request->worker)
        ->group("");  // internal: set for worker processes
  }
  if (mode != Mode::kTrain) add_report_folder(*command, session);
  add_json(*command, session);
  command->callback([request, mode, &session] {
    const bool again = mode == Mode::kReport && holds_report_request(request->recipe);
    run(again ? request_of_report(*request, session) : *request, mode, session);
  });
}

}  // namespace

void add_reproduce(CLI::App& app, Session& session) {
  add_one(app, session, "reproduce", "computes missing nodes of a recipe and writes its report",
          Mode::kReproduce);
  add_one(app, session, "train", "runs a recipe's trainings only", Mode::kTrain);
  add_one(app, session, "report", "writes the report of a recipe from finished nodes",
          Mode::kReport);
}

}  // namespace lvtext
