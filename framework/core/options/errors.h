// Collects the mistakes of files and of the command line, to report them together.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "framework/core/options/node.h"

namespace lvtext {

/// Collects messages with their locations; prints the first 20 in the order of the files.
class Errors {
 public:
  /// Adds a mistake. `hint`, shown next to the caret, names the allowed or the nearest value.
  void add(const SourceLocation& location, const std::string& message,
           const std::string& hint = "");

  bool empty() const { return count_ == 0; }
  size_t count() const { return count_; }
  /// The first 20 messages with excerpts, the number of the others, and "2 errors; nothing was
  /// started."
  std::string report() const;
  /// If there are mistakes, throws ConfigError (78) with report(), or UsageError (64) if all of
  /// them are on the command line.
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

/// Formats a user's text for messages: quoted, shortened, without control characters.
std::string shown(const std::string& text);

}  // namespace lvtext
