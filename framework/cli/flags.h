// Arguments and flags that several commands have, each with one help text.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lvtext {

class Session;

/// Makes an option for a folder (of runs, of a report, to write to) refuse the path of a file
/// before any work (73).
CLI::Option* takes_folder(CLI::Option* option);
/// The same for a folder that is created: it must not exist.
CLI::Option* creates_folder(CLI::Option* option);
/// Makes an option for a file to write refuse a folder, and a path in a folder that does not exist,
/// before any work (73). `example`: a name of such a file, for messages.
CLI::Option* writes_file(CLI::Option* option, const std::string& example = "results.txt");

/// RECIPE, required.
CLI::Option* add_recipe(CLI::App& command, std::string& recipe);
/// `key.path=value`...
CLI::Option* add_overrides(CLI::App& command, std::vector<std::string>& overrides);
/// --profile NAME
CLI::Option* add_profile(CLI::App& command, std::string& profile);
/// --mirror DIR
CLI::Option* add_mirror(CLI::App& command, std::string& mirror);
/// --out DIR: sets `session.runs`.
CLI::Option* add_runs_folder(CLI::App& command, Session& session);
/// --report DIR: sets `session.report`.
CLI::Option* add_report_folder(CLI::App& command, Session& session,
                               const std::string& by_default =
                                   "./reports/<paper>/<table>-<profile>; overrides, --rows and "
                                   "--seeds add a hash");
/// --json: sets `session.json`.
CLI::Option* add_json(CLI::App& command, Session& session);

/// What computes a graph: this machine, or jobs of Slurm.
struct ExecutorFlags {
  std::string executor = "local";
  std::string slurm;  ///< file of settings
  bool print = false, wait = false;

  bool is_slurm() const { return executor == "slurm"; }
  /// Throws UsageError for flags of the other executor; `has_workers`: --workers is given.
  void check(bool has_workers) const;
};
/// --executor, --slurm FILE, --print, --wait
void add_executor(CLI::App& command, ExecutorFlags& flags);

}  // namespace lvtext
