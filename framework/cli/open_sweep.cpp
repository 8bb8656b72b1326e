#include "framework/cli/open_sweep.h"

#include <algorithm>
#include <set>
#include <utility>

#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/versions.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/log.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/numbers.h"
#include "framework/pipeline/sweep/sweep_report.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

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
      const std::string file = split(dimension.location.text(), ':').front();
      if (report.find(file + ":") == std::string::npos) {  // a mistake of the recipe
        std::vector<std::string> texts;
        for (const PathValue& each : values) {
          texts.push_back(each.path + "=" + override_text(each.value));
        }
        report = "with " + join(texts, " ") + ":\n" + report;
      }
      if (std::find(reports.begin(), reports.end(), report) == reports.end()) {
        reports.push_back(std::move(report));
      }
    }
  }
  if (reports.empty()) return;
  throw ConfigError(join(reports, "\n") + "\nnothing was started.");
}

/// A file or folder, or the file of a name beside the recipes.
fs::path located(const std::string& sweep, const Session& session) {
  std::error_code failed;
  for (const fs::path& root : {fs::path("recipes"), session.installation / "recipes"}) {
    const fs::path file = root / (sweep + ".yaml");
    if (!fs::exists(sweep, failed) && fs::is_regular_file(file, failed)) return file;
  }
  return sweep;
}

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

}  // namespace

SweepFolder open_sweep_folder(const SweepRequest& request, Session& session, bool check) {
  const fs::path sweep = located(request.sweep, session);
  std::error_code failed;
  if (check && !fs::is_directory(sweep, failed)) check_space(read_sweep(sweep), session);
  return open_sweep(sweep, "sweeps");
}

OpenSweep open_sweep_plan(const SweepRequest& request, Session& session, bool check,
                          const std::function<void(SweepFolder&)>& change) {
  for (;;) {  // until no other process has added trials meanwhile
    OpenSweep opened{open_sweep_folder(request, session, check), {}};
    if (change) change(opened.folder);
    const Sweep& sweep = opened.folder.sweep;
    opened.plan = plan_sweep(opened.folder, session.registries(), data_locations(request.mirror),
                             [&](const std::vector<std::string>& overrides) {
                               return session.recipe(sweep.recipe, sweep.profile, overrides);
                             });
    if (save_sweep(opened.folder)) return opened;
  }
}

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

void print_sweep_status(const OpenSweep& opened, const GraphStatus& status, bool as_json) {
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

fs::path sweep_report_folder(const OpenSweep& opened, const Session& session) {
  return session.report.empty() ? fs::path("reports/sweeps") / opened.plan.sweep.sweep
                                : session.report;
}

void write_sweep_report(const OpenSweep& opened, const GraphStatus& status, Session& session) {
  const std::string version = version_text();
  const ReportData data = sweep_report(opened.plan, status, session.registries(),
                                       version.substr(0, version.find('\n')));
  if (session.json) {
    print_sweep_status(opened, status, /*as_json=*/true);
  } else {
    const ReportTable& table = data.tables.front();
    const TextTable texts = terminal_table(table.table);
    print_table(texts.columns, texts.rows);
    for (const auto& note : table_notes(table.table, table.notes)) print_text("- " + note);
  }
  const fs::path folder = sweep_report_folder(opened, session);
  refuse_empty_report(folder, data);
  write_report(folder, data);
  if (!session.json) print_text("report: " + (folder / "index.html").string());
}

void report_failures(const OpenSweep& opened, const GraphStatus& status, Session& session) {
  const auto& runs = opened.plan.runs;
  const auto failed = std::count_if(runs.begin(), runs.end(), [&](const TrialRun& run) {
    const NodeState state = status.at(run.last()).state;
    return state == NodeState::kFailed || state == NodeState::kBlocked;
  });
  if (failed == 0) return;
  log_error(opened.plan.sweep.sweep + ": " + format_count(failed, "result") +
            " failed, which `lvtext sweep run` leaves; `lvtext sweep retry " +
            opened.folder.path.string() + "` computes them again");
  session.result = Exit::kSomeFailed;
}

}  // namespace lvtext
