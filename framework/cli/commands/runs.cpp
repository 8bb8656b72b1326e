#include "framework/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>

#include "framework/cli/flags.h"
#include "framework/cli/model_verbs.h"
#include "framework/cli/print.h"
#include "framework/cli/run_argument.h"
#include "framework/cli/session.h"
#include "framework/cli/values.h"
#include "framework/core/base/clock.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/options/errors.h"
#include "framework/pipeline/check/checked_recipe.h"
#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/runs/comparison.h"
#include "framework/pipeline/runs/leftovers.h"
#include "framework/pipeline/runs/listing.h"
#include "framework/pipeline/runs/run_name.h"
#include "framework/pipeline/runs/run_relations.h"
#include "framework/pipeline/runs/summary.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;

struct RunsArguments {
  std::vector<std::string> names;
  std::string since;
  RunFilter filter;
  bool yes = false, force = false;
  bool names_folder = false;  ///< --out is given
};

/// Finds the runs of the arguments.
std::vector<FoundRun> named(const RunsArguments& arguments, Session& session) {
  std::vector<FoundRun> runs;
  for (const RunWords& words : split_runs(arguments.names, session)) {
    runs.push_back(find_run(words, session.runs, session));
  }
  return runs;
}

Json json_of(const FoundRun& run) {
  return {{"folder", run.folder.string()},
          {"identity", run.identity},
          {"name", run.label},
          {"kind", run.kind},
          {"component", run.component},
          {"state", enum_name(run.state)},
          {"changed", utc_time(run.changed)},
          {"recipe", run.recipe},
          {"row", run.row.empty() ? Json() : Json(run.row)},
          {"data", run.data},
          {"without_weights", run.without_weights},
          {"bytes", run.bytes()},
          {"problem", run.problem}};
}

Json json_of(const std::vector<std::pair<std::string, std::string>>& texts) {
  Json json = Json::object();
  for (const auto& [key, value] : texts) json[key] = value;
  return json;
}

Json json_of(const ListedRun& listed) {
  Json json = json_of(*listed.run);
  json["differs"] = json_of(listed.differs);
  json["score"] = nullptr;
  if (listed.score) {
    json["score"] = {{"metric", listed.score->metric}, {"value", listed.score->value}};
  }
  return json;
}

/// The filter of the arguments. For a file of a recipe, the recipe's name is compared.
RunFilter filter_of(const RunsArguments& arguments, Session& session) {
  RunFilter filter = arguments.filter;
  if (!arguments.since.empty()) {
    const auto since = parse_since(arguments.since, current_time());
    if (!since) {
      throw UsageError("--since: " + shown(arguments.since) +
                       " is not a time; allowed: a number of min, h, d or w (7d), or a day "
                       "(2026-11-23)");
    }
    filter.changed_after = *since;
  }
  filter.data = std::filesystem::path(filter.data).filename().string();  // runs keep no paths
  std::error_code failed;
  // A paper may have the name of a folder.
  if (std::filesystem::is_regular_file(filter.recipe, failed)) {
    filter.recipe = session.recipe(filter.recipe, "", {}).recipe.options.recipe;
  }
  return filter;
}

/// Throws MissingError if there is no folder of runs.
void check_folder(const std::filesystem::path& runs) {
  std::error_code failed;
  if (std::filesystem::exists(runs, failed)) return;
  throw MissingError("there is no folder of runs " + shown(runs.string()));
}

void list(const RunsArguments& arguments, Session& session) {
  const RunFilter filter = filter_of(arguments, session);
  if (arguments.names_folder) check_folder(session.runs);
  const auto runs = find_runs(session.runs);
  auto listed = list_runs(runs);
  std::erase_if(listed, [&](const auto& each) { return !filter.matches(*each.run); });
  if (session.json) {
    auto json = Json::array();
    for (const ListedRun& each : listed) json.push_back(json_of(each));
    return print_json({{"schema", "lvtext.runs/1"}, {"runs", json}});
  }
  if (runs.empty()) return print_text("no runs below " + session.runs.string());
  if (listed.empty()) {
    return print_text("no match among " + format_count(std::ssize(runs), "run") + " below " +
                      session.runs.string());
  }
  std::vector<std::vector<std::string>> rows;
  for (const ListedRun& each : listed) {
    const FoundRun& run = *each.run;
    const std::string state =
        enum_name(run.state) + (run.without_weights ? " without weights" : "");
    const std::string score =
        each.score ? each.score->metric + " " + significant(each.score->value, 4) : "";
    const std::string reason = run.problem.substr(0, run.problem.find('\n'));
    // The state is the last column, since reasons of failures are long.
    rows.push_back({local_time(run.changed), run.name(), run.kind, run.component, run.data_text(),
                    score, differences_text(each.differs),
                    state + (reason.empty() ? "" : ": " + reason)});
  }
  print_table({"changed", "run", "kind", "component", "data", "score", "differs", "state"}, rows);
}

/// Commands that use the model of a run; none if it is not a usable model.
std::vector<std::string> uses_of(const FoundRun& run, const std::string& name, Session& session) {
  if (!run.is_model() || run.without_weights || run.state == RunState::kDamaged) return {};
  std::vector<std::string> verbs, commands;
  try {
    session.add_plugins_of_run(run.folder);
    const Registries& registries = session.registries();
    verbs = verbs_of(registries.models.get(run.component), registries);
  } catch (const Error&) {  // a missing plug-in is reported by the command that needs it
    return {};
  }
  static const std::vector<std::pair<std::string, std::string>> arguments = {
      {"generate", ""}, {"reconstruct", " --input FILE"}, {"transfer", " --to STYLE --input FILE"}};
  for (const auto& [verb, own] : arguments) {
    const bool can = std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
    if (can) commands.push_back("lvtext " + verb + " " + name + own);
  }
  commands.push_back("lvtext prompt " + name + "  # " + join(verbs));
  return commands;
}

void show(const RunsArguments& arguments, Session& session) {
  const auto runs = named(arguments, session);
  if (runs.size() != 1) throw UsageError("runs show takes exactly one RUN");
  const FoundRun& run = runs.front();
  const auto beside = find_runs(run.folder.parent_path());
  std::vector<std::string> needed_by;
  for (const auto* each : dependents(run, beside)) {
    if (each->finished()) needed_by.push_back(each->name());
  }
  const std::vector<std::string> damage = damage_of(run);
  if (!damage.empty()) session.result = Exit::kBadData;
  const Json manifest = run.finished() ? Json(FinishedRun(run.folder).manifest()) : Json();
  if (session.json) {
    Json json = {{"schema", "lvtext.run/1"}};
    json.update(json_of(run));
    json["inputs"] = run.inputs;
    json["needed_by"] = needed_by;
    if (run.finished()) json["manifest"] = manifest;
    if (damage.empty()) {
      const RunResults results = results_of(run, beside);
      json["training"] = json_of(results.training);
      json["scores"] = json_of(results.scores);
    }
    json["damage"] = damage;
    return print_json(json);
  }
  std::string name = name_among(run, beside);
  if (run.folder.parent_path() != "runs") name += " --out " + run.folder.parent_path().string();
  auto lines = summarize(run, beside);
  std::string label = "use";
  for (const auto& command : uses_of(run, name, session)) {
    lines.emplace_back(label, command);
    label.clear();
  }
  lines.emplace_back("files", damage.empty() ? "verified" : "damaged");
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 1; i < lines.size(); ++i) rows.push_back({lines[i].first, lines[i].second});
  print_table({lines[0].first, lines[0].second}, rows);
  for (const auto& each : damage) print_text("damaged: " + each);
  for (const auto& [key, input] : run.inputs) print_text("input " + key + ": " + input);
  for (const auto& each : needed_by) print_text("needed by: " + each);
  if (run.finished()) print_text("manifest: " + manifest.dump(2));
}

void verify_runs(const RunsArguments& arguments, Session& session) {
  if (arguments.names.empty()) check_folder(session.runs);
  const auto runs = arguments.names.empty() ? find_runs(session.runs) : named(arguments, session);
  auto list = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const FoundRun& run : runs) {
    const std::vector<std::string> damage = damage_of(run);
    for (const auto& each : damage) rows.push_back({run.name(), each});
    if (!damage.empty()) session.result = Exit::kBadData;
    list.push_back(
        {{"folder", run.folder.string()}, {"state", enum_name(run.state)}, {"damage", damage}});
  }
  if (session.json) return print_json({{"schema", "lvtext.runs-verify/1"}, {"runs", list}});
  if (!rows.empty()) print_table({"run", "damage"}, rows);
  print_text(format_count(std::ssize(runs), "run") + " read, " +
             format_count(std::ssize(rows), "file") + " damaged");
}

/// Column names: short names, with the hash added if they are not unique.
std::vector<std::string> column_names(const std::vector<FoundRun>& runs) {
  std::set<std::string> distinct;
  std::vector<std::string> names;
  for (const FoundRun& run : runs) {
    names.push_back(short_name(run.name()));
    distinct.insert(names.back());
  }
  if (distinct.size() == runs.size()) return names;
  for (size_t i = 0; i < runs.size(); ++i) names[i] += " " + runs[i].identity.substr(0, 8);
  return names;
}

Json json_of(const std::vector<ComparedLine>& lines) {
  auto json = Json::array();
  for (const auto& line : lines) {
    auto values = Json::array();
    for (const auto& value : line.values) {
      values.push_back(value.empty() ? Json() : Json(value));
    }
    json.push_back({{"key", line.key}, {"values", values}});
  }
  return json;
}

void print_lines(const std::string& title, const std::vector<std::string>& names,
                 const std::vector<ComparedLine>& lines) {
  std::vector<std::string> header = {title};
  header.insert(header.end(), names.begin(), names.end());
  std::vector<std::vector<std::string>> rows;
  for (const auto& line : lines) {
    auto& row = rows.emplace_back(std::vector<std::string>{line.key});
    for (const auto& value : line.values) row.push_back(value.empty() ? "-" : value);
  }
  print_table(header, rows);
}

void compare(const RunsArguments& arguments, Session& session) {
  const auto runs = named(arguments, session);
  if (runs.size() < 2) throw UsageError("runs compare requires at least two runs");
  auto all = find_runs(session.runs);
  for (const FoundRun& run : runs) {
    const auto beside = run.folder.parent_path();
    if (beside == session.runs) continue;
    for (FoundRun& each : find_runs(beside)) all.push_back(std::move(each));
  }
  const RunComparison comparison = compare_runs(runs, all);
  if (session.json) {
    auto list = Json::array();
    for (const FoundRun& run : runs) list.push_back(json_of(run));
    return print_json({{"schema", "lvtext.runs-compare/1"},
                       {"runs", list},
                       {"options", json_of(comparison.options)},
                       {"results", json_of(comparison.results)}});
  }
  const auto names = column_names(runs);
  if (comparison.options.empty()) {
    print_text("no option differs");
  } else {
    print_lines("option", names, comparison.options);
  }
  print_text("");
  print_lines("result", names, comparison.results);
}

void remove(const RunsArguments& arguments, Session& session) {
  std::vector<FoundRun> runs;
  std::set<std::string> going;
  for (FoundRun& run : named(arguments, session)) {
    if (going.insert(run.name()).second) runs.push_back(std::move(run));
  }
  for (const FoundRun& run : runs) {
    std::vector<std::string> needing;
    const auto beside = find_runs(run.folder.parent_path());
    for (const auto* each : dependents(run, beside)) {
      if (each->finished() && !going.contains(each->name())) needing.push_back(each->name());
    }
    if (!needing.empty() && !arguments.force) {
      const size_t count = needing.size();
      if (count > 5) needing.resize(5);
      throw UsageError("'" + run.name() + "' is needed by " + std::to_string(count) +
                       " finished runs: " + join(needing) + (count > 5 ? ", ..." : "") +
                       "; nothing was removed; name them too, or add --force");
    }
  }
  if (!arguments.yes) {
    std::vector<std::string> texts;
    for (const FoundRun& run : runs) texts.push_back(run.folder.string());
    throw UsageError("would remove " + join(texts) + "; nothing was removed; add --yes to remove");
  }
  auto removed = Json::array();
  for (const FoundRun& run : runs) {
    const uint64_t bytes = run.bytes();
    remove_run(run.folder);
    removed.push_back({{"folder", run.folder.string()}, {"bytes", bytes}});
    if (!session.json) {
      print_text("removed " + run.folder.string() + " (" + format_bytes(bytes) + ")");
    }
  }
  if (session.json) print_json({{"schema", "lvtext.runs-rm/1"}, {"removed", removed}});
}

void collect_garbage(const RunsArguments& arguments, const Session& session) {
  auto list = Json::array();
  std::vector<std::vector<std::string>> rows;
  uint64_t bytes = 0;
  for (const Leftover& each : find_leftovers(session.runs)) {
    const bool removed = arguments.yes && remove_leftover(each);
    if (arguments.yes && !removed) continue;  // in use by a live process by now
    bytes += each.bytes;
    rows.push_back({each.path.string(), format_bytes(each.bytes), each.reason});
    list.push_back({{"path", each.path.string()},
                    {"run", each.run.string()},
                    {"reason", each.reason},
                    {"bytes", each.bytes},
                    {"removed", removed}});
  }
  if (session.json) {
    return print_json({{"schema", "lvtext.runs-gc/1"}, {"bytes", bytes}, {"leftovers", list}});
  }
  if (rows.empty()) return print_text("nothing to remove");
  print_table({arguments.yes ? "removed" : "would remove", "size", "why"}, rows);
  print_text(format_bytes(bytes) +
             (arguments.yes ? " freed" : " in total; nothing was removed; add --yes to remove"));
}

}  // namespace

void add_runs(CLI::App& app, Session& session) {
  CLI::App* group =
      app.add_subcommand("runs", "lists, shows, verifies, compares, copies and removes runs");
  group->require_subcommand(0, 1);
  auto arguments = std::make_shared<RunsArguments>();
  add_json(*group, session);
  group->callback([group, arguments, &session] {
    if (group->get_subcommands().empty()) list(*arguments, session);
  });
  const auto add = [&](const char* name, const char* help, auto run) {
    CLI::App* command = group->add_subcommand(name, help);
    add_runs_folder(*command, session)->each([arguments](const std::string& /*folder*/) {
      arguments->names_folder = true;
    });
    add_json(*command, session);
    command->callback([arguments, run, &session] { run(*arguments, session); });
    return command;
  };
  CLI::App* listed =
      add("ls", "lists runs with date, score, differing options and state; newest last", list);
  RunFilter& filter = arguments->filter;
  listed
      ->add_option(
          "--kind", filter.kind,
          "kind of the nodes to list; fit: a tokenizer, model: fitted or imported, produce: "
          "inference")
      ->check(name_of_enum<NodeKind>());
  listed->add_option("--row", filter.row, "entry or row of a recipe: its models and their results")
      ->type_name("NAME");
  listed->add_option("--recipe", filter.recipe, "<paper>/<table>, a paper, or a recipe's file")
      ->type_name("NAME");
  listed->add_option("--state", filter.state, "state of the runs to list")
      ->check(name_of_enum<RunState>());
  listed
      ->add_option("--since", arguments->since,
                   "only runs that changed since then: 7d, 12h, 30min, 2w ago, or 2026-11-23")
      ->type_name("TIME");
  listed->add_option("--data", filter.data, "data set or text file that a run is computed from")
      ->type_name("NAME");
  CLI::App* shown = add("show", "shows one run and verifies its files", show);
  shown->add_option("RUN", arguments->names, kRunHelp)->required();
  add("verify", "verifies every file of finished runs and of checkpoints", verify_runs)
      ->add_option("RUN", arguments->names, std::string(kRunHelp) + " (default: all runs)");
  CLI::App* compared =
      add("compare", "compares runs: options that differ, losses and scores", compare);
  compared->add_option("RUN", arguments->names, kRunHelp)->required();
  add_runs_exchange(*group, session);
  CLI::App* removed = add("rm", "removes runs", remove);
  removed->add_option("RUN", arguments->names, kRunHelp)->required();
  removed->add_flag("--yes", arguments->yes, "confirms the removal; without it nothing is removed");
  removed->add_flag("--force", arguments->force, "also removes runs that finished runs need");
  CLI::App* collected = add(
      "gc", "lists unfinished runs and files that finished runs no longer need", collect_garbage);
  collected->add_flag("--yes", arguments->yes, "removes the listed runs and files");
}

}  // namespace lvtext
