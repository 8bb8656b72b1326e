#include "framework/cli/usage.h"

#include <CLI/CLI.hpp>

#include "framework/cli/values.h"
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

/// What to write instead of a flag that the command lacks although others have it, or empty.
std::string instead_of(const std::string& flag, const CLI::App& command) {
  const auto has = [&command](const char* name) {
    return command.get_option_no_throw(name) != nullptr;
  };
  if (flag == "--seed" && has("--seeds")) {
    return "train.seed=N sets the seed; --seeds is the number of seeds";
  }
  if (!has("RUN")) return "";
  if (flag == "--profile") return "write <paper>/<row>@NAME or RECIPE profile=NAME";
  if (flag == "--rows") return "write <paper>/<row> or RECIPE row=NAME";
  return "";
}

[[noreturn]] void unknown_flag(const CLI::App& command, const std::string& flag) {
  const std::string instead = instead_of(flag, command);
  if (instead.empty()) unknown(command, "flag", flag, flag_names(command));
  throw UsageError("unknown flag " + shown(flag) + "; " + instead + "; see `" + path_of(&command) +
                   " --help`");
}

// A token such as "-3" or "-0.5" is a value.
bool is_flag(const std::string& token) {
  return token.size() > 1 && token[0] == '-' && token.find_first_of("0123456789.") != 1;
}

/// Checks a flag and that its value follows: the parser would take the next flag as the value.
void check_flag(const CLI::App& command, const std::string& token, const std::string* next) {
  const size_t equals = token.find('=');
  const std::string name = token.substr(0, equals);
  // Short flags may be written together or with their value: -hv, -o3.
  const bool is_short = name[1] != '-';
  const CLI::Option* option = command.get_option_no_throw(is_short ? name.substr(0, 2) : name);
  if (option == nullptr) unknown_flag(command, name);
  if (option->get_items_expected_min() == 0 || (is_short && token.size() > 2)) return;
  if (equals + 1 == token.size()) throw UsageError(name + ": " + empty_value_text(*option));
  if (equals == std::string::npos && (next == nullptr || is_flag(*next))) {
    throw UsageError(name + ": missing " + option->get_type_name() + " (" +
                     option->get_description() + "); see `" + path_of(&command) + " --help`");
  }
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
    if (option->get_group().empty()) continue;  // hidden
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    for (const auto& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

void check_usage(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* command = &app;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& token = arguments[i];
    if (token == "--") return;
    if (is_flag(token)) {
      check_flag(*command, token, i + 1 < arguments.size() ? &arguments[i + 1] : nullptr);
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
