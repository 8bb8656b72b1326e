// Checks the command line for unknown commands and flags before parsing.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lvtext {

/// Throws UsageError for an unknown command, subcommand or flag in `arguments` (without the
/// program's name), with the nearest known name, and for a flag without its value. Other errors are
/// left to the parser.
void check_usage(const CLI::App& app, const std::vector<std::string>& arguments);

/// Names of the commands below `app` that are not hidden, in their order.
std::vector<std::string> command_names(const CLI::App& app);
/// Flags of a command that are not hidden, as they are typed: "--json", "-h".
std::vector<std::string> flag_names(const CLI::App& command);

}  // namespace lvtext
