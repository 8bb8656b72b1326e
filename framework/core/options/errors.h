// Collects the mistakes of files and of the command line, to report them together.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/options/node.h"

namespace lvtext {

/// Collects messages with their locations; prints the first 20 in the order of the files.
class Errors {
 public:
  /// Adds a mistake. `hint`, shown next to the caret, names the allowed or the nearest value.
  /// `code` is another one for a file or run that is named correctly but is missing or damaged.
  void add(const SourceLocation& location, const std::string& message, const std::string& hint = "",
           Exit code = Exit::kBadConfig);

  bool empty() const { return count_ == 0; }
  size_t count() const { return count_; }
  /// True if any mistake is in the configuration itself, not in a file or run that it names.
  bool has_config_errors() const { return config_errors_ > 0; }
  /// The first 20 messages with excerpts, the number of the others, and "2 errors; nothing was
  /// started."
  std::string report() const;
  /// If there are mistakes, throws an Error with report() and the code that all of them have, or
  /// ConfigError (78) if they differ; UsageError (64) for mistakes of the configuration that are
  /// all on the command line.
  void throw_if_any() const;

 private:
  struct Message {
    SourceLocation location;
    std::string text, hint;
  };
  std::vector<Message> messages_;
  size_t count_ = 0, config_errors_ = 0;
  Exit code_ = Exit::kBadConfig;  // of all messages, or kBadConfig
  bool only_overrides_ = true;
};

/// Formats a user's text for messages: quoted, shortened, without control characters.
std::string shown(const std::string& text);

}  // namespace lvtext
