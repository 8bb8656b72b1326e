// Error messages and exit codes for exceptions.
#pragma once

#include <string>

#include "framework/core/base/error.h"

namespace lvtext {

struct Failure {
  Exit code;
  std::string message;
};

/// Describes the exception that is being handled; must be called in a catch block. An Error keeps
/// its message and exit code. Exit code 71: out of memory or threads, 70: a bug in lvtext. With
/// LVTEXT_TRACE=1, messages of LibTorch errors include the backtrace. `plugin`: the components of
/// plug-ins that may have thrown ("the component 'a' of the plug-in 'b.so'"; empty: none), which
/// are named instead of lvtext, with exit code 65.
Failure describe_failure(const std::string& plugin = "");

}  // namespace lvtext
