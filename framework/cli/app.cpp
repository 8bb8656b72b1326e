#include "framework/cli/app.h"

#include <CLI/CLI.hpp>
#include <csignal>

#include "framework/cli/commands/commands.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/usage.h"
#include "framework/cli/values.h"
#include "framework/cli/versions.h"
#include "framework/core/base/crash.h"
#include "framework/core/base/error.h"
#include "framework/core/base/log.h"
#include "framework/core/base/strings.h"
#include "framework/core/tensor/failure.h"

namespace lvtext {
namespace {

// Adds the flags common to all commands.
void add_common(CLI::App& command, Session& session) {
  if (command.get_group().empty()) return;  // hidden: accepts empty values
  const auto below = command.get_subcommands([](const CLI::App*) { return true; });
  for (CLI::App* each : below) add_common(*each, session);
  command.set_help_flag("-h,--help", "shows this help");
  if (!below.empty()) return;
  command.add_option("--plugin", session.plugin_files, "loads a shared library with components")
      ->type_name("FILE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  // Flags run before the command's own callback.
  command.add_flag_callback(
      "-q,--quiet", [] { set_up_log(Verbosity::kQuiet); }, "shows warnings and errors only");
  command.add_flag_callback(
      "-v,--verbose", [] { set_up_log(Verbosity::kVerbose); }, "also shows debugging messages");
  refuse_empty_values(command);
}

void add_commands(CLI::App& app, Session& session) {
  add_reproduce(app, session);
  add_eval(app, session);
  add_model_commands(app, session);
  add_prompt(app, session);
  add_config(app, session);
  add_explain(app, session);
  add_list(app, session);
  add_help(app, session);
  add_data(app, session);
  add_checkpoint(app, session);
  add_runs(app, session);
  add_rate(app, session);
  add_sweep(app, session);
  add_doctor(app, session);
  add_completion(app, session);
  add_schema(app, session);
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text, "shows version, commit, LibTorch and formats");
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    add_common(*command, session);
  }
  app.set_help_flag("-h,--help", "shows this help");
}

/// The text of a parser's error on the command that it parsed last.
std::string text_of(const CLI::ParseError& error, const CLI::App& command) {
  if (command.get_subcommands().size() < command.get_require_subcommand_min()) {
    return "a command is required: " + join(command_names(command));
  }
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return text;
  const std::string name = text.substr(0, text.find(':'));
  const CLI::Option* option = command.get_option_no_throw(name);
  if (option == nullptr) return text;
  const auto given = static_cast<int>(option->count());
  const int least = option->get_items_expected_min();
  return name + ": expected at " +
         (given < least ? "least " + std::to_string(least)
                        : "most " + std::to_string(option->get_items_expected_max())) +
         ", got " + std::to_string(given);
}

int parse_and_run(int argc, char** argv, Session& session) {
  CLI::App app(
      "Trains and evaluates latent-variable models of text and language models from recipes.",
      "lvtext");
  add_commands(app, session);
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  check_usage(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print_text(app.help());              // help of the selected command
  } catch (const CLI::Success& asked) {  // --version
    print_text(asked.what());
  } catch (const CLI::ParseError& error) {
    const CLI::App* command = &app;
    std::string name = app.get_name();
    while (!command->get_subcommands().empty()) {
      command = command->get_subcommands().front();
      name += " " + command->get_name();
    }
    throw UsageError(text_of(error, *command) + "; see `" + name + " --help`");
  }
  finish_printing();
  return static_cast<int>(session.result);
}

}  // namespace

int run_command_line(int argc, char** argv) {
  set_up_log(Verbosity::kNormal);
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its size limit fails the write instead
  const CrashNote note("running lvtext " + std::string(argc > 1 ? argv[1] : ""));
  Session session;
  try {
    return parse_and_run(argc, argv, session);
  } catch (...) {
    const Failure failure = describe_failure(session.plugin_component);
    log_error(failure.message);
    return static_cast<int>(failure.code);
  }
}

}  // namespace lvtext
