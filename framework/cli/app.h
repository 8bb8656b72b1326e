// Entry point of the command line.
#pragma once

namespace lvtext {

/// Runs one command and returns its exit code (framework/core/base/error.h). Prints results on
/// standard output, progress and errors on standard error.
int run_command_line(int argc, char** argv);

}  // namespace lvtext
