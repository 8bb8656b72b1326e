// Runs other programs.
#pragma once

#include <string>
#include <vector>

namespace lvtext {

/// How a program ended.
struct ProgramEnd {
  int code = 0;        ///< its exit code; 128 + the signal that ended it
  std::string output;  ///< its standard output
};

/// Runs a program of PATH, without a shell, to its end. Its standard error is that of this process,
/// or discarded if `quiet`; its standard input is empty. Throws DeviceError if it cannot be
/// started, or an io_error.
ProgramEnd run_program(std::vector<std::string> words, bool quiet = false);

/// Arguments for a shell, each after a blank, in quotes where needed.
std::string quoted_words(const std::vector<std::string>& words);

}  // namespace lvtext
