#include "framework/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "framework/cli/flags.h"
#include "framework/cli/print.h"
#include "framework/cli/run_argument.h"
#include "framework/cli/session.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/log.h"
#include "framework/core/base/signals.h"
#include "framework/core/options/errors.h"
#include "framework/pipeline/runs/run_name.h"
#include "framework/pipeline/runs/run_relations.h"
#include "framework/pipeline/runs/run_scan.h"
#include "framework/pipeline/store/run_copier.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct RunsExchangeArguments {
  std::vector<std::string> names;
  std::string folder;
  bool without_weights = false, without_inputs = false;
};

constexpr const char* kRefused = "refused";

/// Copies the runs one by one; a rejected run does not affect the others.
void copy_runs(const std::vector<fs::path>& folders, const fs::path& to,
               const RunCopyOptions& options, const std::string& schema, Session& session) {
  RunCopier copier(to);
  auto list = Json::array();
  std::map<std::string, size_t> counts;
  std::vector<std::vector<std::string>> refused;
  for (const fs::path& folder : folders) {
    std::string state = kRefused, reason;
    throw_if_stopped();
    try {
      state = enum_name(copier.copy(folder, options));
    } catch (const DataError& error) {
      reason = error.what();
    } catch (const MissingError& error) {
      reason = error.what();
    } catch (const Interrupted& error) {
      throw_if_stopped();
      reason = error.what();  // another process owns the run
    }
    ++counts[state];
    if (state == kRefused) refused.push_back({folder.filename().string(), reason});
    list.push_back({{"folder", folder.string()}, {"state", state}, {"reason", reason}});
  }
  if (!refused.empty()) {
    session.result = refused.size() == folders.size() ? Exit::kBadData : Exit::kSomeFailed;
  }
  if (session.json) {
    return print_json({{"schema", schema}, {"to", to.string()}, {"runs", list}});
  }
  if (!refused.empty()) print_table({"refused", "why"}, refused);
  std::string text = to.string() + ": " + format_count(counts["copied"], "run") + " copied";
  if (counts["completed"] > 0) {
    text += ", " + std::to_string(counts["completed"]) + " completed with weights";
  }
  if (counts["present"] > 0) text += ", " + std::to_string(counts["present"]) + " already present";
  if (!refused.empty()) text += ", " + std::to_string(refused.size()) + " refused";
  print_text(text);
}

/// Appends a run, preceded by all its inputs.
void add_with_inputs(const FoundRun& run, const std::vector<FoundRun>& all,
                     std::set<std::string>& seen, std::vector<fs::path>& folders) {
  if (!seen.insert(run.name()).second) return;
  for (const auto& [key, name] : run.inputs) {
    const FoundRun* input = find_input(name, all);
    if (input != nullptr && input->finished()) {
      add_with_inputs(*input, all, seen, folders);
    } else if (seen.insert(name).second) {
      log_warning("'" + name + "', an input of '" + run.name() + "', is " +
                  (input == nullptr ? "missing" : "not finished") + " and is not copied");
    }
  }
  folders.push_back(run.folder);
}

void export_runs(const RunsExchangeArguments& arguments, Session& session) {
  const fs::path& runs = session.runs;
  std::vector<FoundRun> all = find_runs(runs), requested;
  for (const RunWords& words : split_runs(arguments.names, session)) {
    requested.push_back(find_run(words, runs, session));
    if (requested.back().state == RunState::kDamaged) {
      throw DataError("'" + requested.back().folder.string() + "': " + requested.back().problem);
    }
    if (!requested.back().finished()) {
      throw MissingError("'" + requested.back().folder.string() + "' is not finished (" +
                         enum_name(requested.back().state) +
                         "); run its recipe again to finish it");
    }
  }
  std::set<fs::path> listed = {runs.lexically_normal()};
  for (const FoundRun& run : requested) {  // runs in other folders
    const fs::path beside = run.folder.parent_path();
    if (!listed.insert(beside.lexically_normal()).second) continue;
    for (FoundRun& each : find_runs(beside)) all.push_back(std::move(each));
  }
  if (arguments.names.empty()) {
    for (const FoundRun& run : all) {
      // Damaged runs are included, so that they are reported as refused.
      if (run.finished() || run.state == RunState::kDamaged) requested.push_back(run);
    }
  }
  if (requested.empty()) {
    throw MissingError("no finished runs below " + runs.string() +
                       "; --out DIR names another folder");
  }
  std::set<std::string> seen;
  std::vector<fs::path> folders;
  for (const FoundRun& run : requested) {
    if (!arguments.without_inputs) {
      add_with_inputs(run, all, seen, folders);
    } else if (seen.insert(run.name()).second) {
      folders.push_back(run.folder);
    }
  }
  copy_runs(folders, arguments.folder, {.weights = !arguments.without_weights},
            "lvtext.runs-export/1", session);
}

void import_runs(const RunsExchangeArguments& arguments, Session& session) {
  const fs::path folder = arguments.folder;
  std::error_code failed;
  if (fs::is_regular_file(folder, failed)) {
    throw UsageError(
        shown(arguments.folder) +
        " is a file; give the folder that `lvtext runs export` wrote (unpack an archive "
        "first: tar xf FILE)");
  }
  if (!fs::is_directory(folder, failed)) {
    throw MissingError("there is no folder " + shown(arguments.folder));
  }
  if (is_run(folder)) {
    throw UsageError(shown(arguments.folder) +
                     " is a single run; give the folder that contains it");
  }
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (is_run(entry.path())) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  if (folders.empty()) {
    throw MissingError("no runs in " + shown(arguments.folder) +
                       "; `lvtext runs export -o DIR` writes such a folder");
  }
  copy_runs(folders, session.runs, {}, "lvtext.runs-import/1", session);
}

}  // namespace

void add_runs_exchange(CLI::App& group, Session& session) {
  auto arguments = std::make_shared<RunsExchangeArguments>();
  const auto add = [&](const char* name, const char* help, auto run) {
    CLI::App* command = group.add_subcommand(name, help);
    add_runs_folder(*command, session);
    add_json(*command, session);
    command->callback([arguments, run, &session] { run(*arguments, session); });
    return command;
  };
  CLI::App* exported =
      add("export", "copies finished runs and all their inputs to another folder", export_runs);
  exported->add_option("RUN", arguments->names,
                       std::string(kRunHelp) + " (default: all finished runs)");
  takes_folder(exported
                   ->add_option("-o,--output", arguments->folder,
                                "folder of runs to write; existing runs in it are kept")
                   ->type_name("DIR")
                   ->required());
  exported->add_flag("--without-weights", arguments->without_weights,
                     "does not copy the weights of models; reports do not need them");
  exported->add_flag("--without-inputs", arguments->without_inputs, "copies only the named runs");
  CLI::App* imported = add(
      "import", "copies the runs of an exported folder into the folder of runs and verifies them",
      import_runs);
  imported
      ->add_option("DIR", arguments->folder,
                   "folder written by `runs export`, or any folder of runs")
      ->type_name("")
      ->required();
}

}  // namespace lvtext
