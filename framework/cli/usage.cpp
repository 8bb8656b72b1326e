#include "framework/cli/usage.h"

#include <CLI/CLI.hpp>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/errors.h"

namespace lvtext {
namespace {

std::string path_of(const CLI::App* command) {
  const CLI::App* parent = command->get_parent();
  return parent == nullptr ? command->get_name() : path_of(parent) + " " + command->get_name();
}

[[noreturn]] void unknown(const CLI::App& command, const std::string& what,
                          const std::string& typed, const std::vector<std::string>& known) {
  throw UsageError("unknown " + what + " " + shown(typed) + "; " + suggestion(typed, known) +
                   "; see `" + path_of(&command) + " --help`");
}

// A token such as "-3" or "-0.5" is a value.
bool is_flag(const std::string& token) {
  return token.size() > 1 && token[0] == '-' && token.find_first_of("0123456789.") != 1;
}

}  // namespace

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) names.push_back(command->get_name());  // else it is hidden
  }
  return names;
}

std::vector<std::string> flag_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    for (const auto& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

void check_usage(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* command = &app;
  for (const auto& token : arguments) {
    if (token == "--") return;
    if (is_flag(token)) {
      const std::string name = token.substr(0, token.find('='));
      // Short flags may be written together or with their value: -hv, -o3.
      const std::string looked_up = name[1] == '-' ? name : name.substr(0, 2);
      if (command->get_option_no_throw(looked_up) == nullptr) {
        unknown(*command, "flag", name, flag_names(*command));
      }
      continue;
    }
    // Flags of commands that have subcommands take no values, so every word must be a subcommand.
    const auto names = command_names(*command);
    if (names.empty()) continue;
    const CLI::App* next = nullptr;
    for (const CLI::App* each : command->get_subcommands([](const CLI::App*) { return true; })) {
      if (each->check_name(token)) next = each;
    }
    if (next == nullptr) unknown(*command, "command", token, names);
    command = next;
  }
}

}  // namespace lvtext
