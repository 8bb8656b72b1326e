// Converts exceptions to messages and exit codes.
#pragma once

#include <string>

#include "framework/core/base/error.h"

namespace lvtext {

struct Failure {
  Exit code;
  std::string message;
};

/// Message and exit code of the exception being handled: those of an Error, 71 for exhausted
/// memory, 70 for bugs. LVTEXT_TRACE=1 adds the stack trace of LibTorch's errors. Must be called in
/// a catch block.
Failure describe_failure();

}  // namespace lvtext
