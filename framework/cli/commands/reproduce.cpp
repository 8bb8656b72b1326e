#include "framework/cli/commands/reproduce.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "framework/base/log.h"
#include "framework/base/signals.h"
#include "framework/base/strings.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/versions.h"
#include "framework/graph/experiment.h"
#include "framework/graph/results.h"

namespace lvtext {
namespace {

struct Request {
  std::string recipe, profile, mirror, rows, executor = "local", out;
  int64_t seeds = 1;
  bool dry_run = false;
  std::vector<std::string> overrides;
};

enum class Work { kReproduce, kTrain, kReport };

Experiment experiment_of(const Request& request, Session& session) {
  const Recipe recipe = session.recipe(request.recipe, request.profile, request.overrides);
  ExperimentRequest wanted;
  for (const auto& row : split(request.rows, ',')) {
    if (!row.empty()) wanted.rows.push_back(row);
  }
  wanted.seeds = request.seeds;
  wanted.places = data_places(request.mirror);
  return build_experiment(recipe, session.registries(), wanted);
}

/// What is finished and what will run, on standard error: results alone go to standard output.
void print_plan(const Experiment& experiment, const std::vector<const GraphNode*>& nodes,
                const GraphStatus& status) {
  int64_t finished = 0;
  std::vector<std::string> missing;
  for (const auto* node : nodes) {
    const NodeState state = status.at(node->name).state;
    if (state == NodeState::kFinished) {
      ++finished;
    } else {
      missing.push_back(state == NodeState::kBegun ? node->name + " (begun)" : node->name);
    }
  }
  const std::string& profile = experiment.recipe.profile;
  log_info(experiment.recipe.options.recipe + (profile.empty() ? "" : ", profile " + profile) +
           ": " + std::to_string(finished) + " of " + std::to_string(nodes.size()) +
           " nodes are finished");
  if (!missing.empty()) {
    log_info("to run: " + join(missing) + "; time: not measured on this machine");
  }
}

void print_dry_run(const std::vector<const GraphNode*>& nodes, const GraphStatus& status,
                   bool as_json) {
  if (as_json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto* node : nodes) {
      list.push_back({{"name", node->name},
                      {"kind", to_string(node->kind)},
                      {"component", node->component},
                      {"state", to_string(status.at(node->name).state)},
                      {"identity", node->identity}});
    }
    print_json({{"schema", "lvtext.plan/1"}, {"nodes", list}});
    return;
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto* node : nodes) {
    rows.push_back({node->name, to_string(node->kind), node->component,
                    to_string(status.at(node->name).state), node->identity.substr(0, 8)});
  }
  print_table({"node", "kind", "component", "state", "identity"}, rows);
  print_text("time: not measured on this machine");
}

std::filesystem::path write_results(const Experiment& experiment, const GraphStatus& status,
                                    const Session& session, bool as_json) {
  const std::string version = version_text();
  const ReportData report =
      collect_results(experiment, status, version.substr(0, version.find('\n')));
  const std::string& profile = experiment.recipe.profile;
  const auto folder = session.reports / experiment.paper /
                      (experiment.table + "-" + (profile.empty() ? "default" : profile));
  write_report(folder, report);
  print_text(as_json ? table_json(report.table) : table_markdown(report.table));
  for (const auto& check : report.checks) {
    if (!as_json) print_text(check.check.id + ": " + verdict_name(check.verdict));
  }
  if (!as_json) print_text("report: " + (folder / "index.html").string());
  return folder;
}

void run(const Request& request, Work work, Session& session) {
  if (request.executor != "local") {
    throw UsageError("--executor: '" + request.executor + "' is not built; use local");
  }
  if (!request.out.empty()) session.runs = request.out;
  const Experiment experiment = experiment_of(request, session);
  const auto targets = experiment.targets(work == Work::kTrain);
  const auto nodes = experiment.graph.needed_for(targets);
  GraphStatus status = graph_status(experiment.graph, session.runs);
  if (request.dry_run) {
    print_dry_run(nodes, status, session.json);
    return;
  }
  if (work != Work::kReport) {
    print_plan(experiment, nodes, status);
    const StopSignals signals;
    status = run_graph(experiment.graph, targets, session.runs);
  }
  if (work != Work::kTrain) write_results(experiment, status, session, session.json);
  for (const auto* node : nodes) {
    const NodeStatus& entry = status.at(node->name);
    if (entry.state == NodeState::kFailed) {
      log_error(node->name + " failed: " + entry.reason);
      session.result = Exit::kSomeFailed;
    }
  }
}

void add_one(CLI::App& app, Session& session, const std::string& name, const std::string& help,
             Work work) {
  CLI::App* command = app.add_subcommand(name, help);
  auto request = std::make_shared<Request>();
  command->add_option("RECIPE", request->recipe, "a file, a folder, or <paper>/<table>")->required();
  command->add_option("OVERRIDES", request->overrides, "key.path=value, as many as you like");
  command->add_option("--profile", request->profile, "smoke, cpu, gpu or paper")
      ->type_name("NAME");
  command->add_option("--rows", request->rows, "only these rows")->type_name("A,B");
  command->add_option("--seeds", request->seeds, "trainings of each row, with seed, seed + 1, ...")
      ->check(CLI::Range(int64_t{1}, int64_t{1000}));
  command->add_option("--mirror", request->mirror, "a folder with the data sets' files")
      ->type_name("DIR");
  command->add_option("--out", request->out, "where runs go (default: LVTEXT_OUT, else ./runs)")
      ->type_name("DIR");
  if (work != Work::kReport) {
    command->add_option("--executor", request->executor, "where nodes run: local")
        ->type_name("NAME");
    command->add_flag("--dry-run", request->dry_run, "shows what would run");
  }
  command->add_flag("--json", session.json, "prints JSON");
  command->callback([request, work, &session] { run(*request, work, session); });
}

}  // namespace

void add_reproduce(CLI::App& app, Session& session) {
  add_one(app, session, "reproduce", "runs what is missing of a recipe and writes its report",
          Work::kReproduce);
  add_one(app, session, "train", "runs a recipe's trainings only", Work::kTrain);
  add_one(app, session, "report", "writes a recipe's report again from finished nodes",
          Work::kReport);
}

}  // namespace lvtext
