// What an exception says to a user.
#pragma once

#include <string>

#include "framework/core/base/error.h"

namespace lvtext {

struct Failure {
  Exit code;
  std::string message;
};

/// Of the exception that is being handled: an Error's own words and code, 71 for exhausted memory,
/// 70 for everything that is a bug of ours. LVTEXT_TRACE=1 shows where LibTorch's errors come from.
/// Call it in a catch block.
Failure describe_failure();

}  // namespace lvtext
