// The mistakes of a file and of the command line, collected and reported together.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "framework/core/options/node.h"

namespace lvtext {

/// Collects messages with their places; prints the first 20 in the order of the files.
class Errors {
 public:
  /// One mistake at `mark`. `hint` stands beside the caret: what is allowed, what was meant.
  void add(const SourceLocation& location, const std::string& message,
           const std::string& hint = "");

  bool empty() const { return count_ == 0; }
  size_t count() const { return count_; }
  /// All messages, and last "2 errors; nothing was started."
  std::string report() const;
  /// Throws ConfigError (78) with report(), or UsageError (64) if all mistakes are the command
  /// line's.
  void throw_if_any() const;

 private:
  struct Message {
    SourceLocation location;
    std::string text, hint;
  };
  std::vector<Message> messages_;
  size_t count_ = 0;
  bool only_overrides_ = true;
};

/// A user's text as a message shows it: quoted, shortened, without control characters.
std::string shown(const std::string& text);

}  // namespace lvtext
