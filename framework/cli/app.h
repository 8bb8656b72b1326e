// The executable's commands and how their failures end.
#pragma once

namespace lvtext {

/// Runs one command and returns its exit code (framework/core/base/error.h). Prints results on
/// standard output, progress and errors on standard error.
int run_command_line(int argc, char** argv);

}  // namespace lvtext
