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

/// RECIPE, required.
CLI::Option* add_recipe(CLI::App& command, std::string& recipe);
/// `key.path=value`...
CLI::Option* add_overrides(CLI::App& command, std::vector<std::string>& overrides);
/// --profile NAME
CLI::Option* add_profile(CLI::App& command, std::string& profile);
/// --mirror DIR
CLI::Option* add_mirror(CLI::App& command, std::string& mirror);
/// --out DIR
CLI::Option* add_runs_folder(CLI::App& command, std::string& out);
/// --report DIR: sets `session.report`.
CLI::Option* add_report_folder(CLI::App& command, Session& session);
/// --json: sets `session.json`.
CLI::Option* add_json(CLI::App& command, Session& session);

}  // namespace lvtext
