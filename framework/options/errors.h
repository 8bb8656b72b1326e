// The mistakes of a file and of the command line, collected and reported together.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "framework/options/node.h"

namespace lvtext {

/// Collects messages with their places; prints at most 20.
class Errors {
 public:
  /// One mistake at `mark`. `hint` stands beside the caret: what is allowed, what was meant.
  void add(const Mark& mark, const std::string& message, const std::string& hint = "");

  bool empty() const { return messages_.empty(); }
  size_t count() const { return messages_.size(); }
  /// All messages, and last "2 errors; nothing was started."
  std::string report() const;
  /// Throws ConfigError (78) with report(), or UsageError (64) if all mistakes are the command
  /// line's.
  void throw_if_any() const;

 private:
  std::vector<std::string> messages_;
  bool only_overrides_ = true;
};

}  // namespace lvtext
