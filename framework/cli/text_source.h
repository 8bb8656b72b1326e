// Reads lines of text from a file, standard input or a terminal.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "framework/core/text/lines.h"

namespace lvtext {

/// Lines end at LF or CR LF; a byte order mark at the start is removed. At a terminal `prompt` is
/// written to standard error before each line.
class TextSource {
 public:
  /// `file` is empty for standard input. Throws an io_error (66 if it is not there).
  TextSource(const std::string& file, std::string prompt);
  /// The next line without its end; false at the end. Throws DataError, naming the line, for text
  /// that is not UTF-8 and for lines of more than 1 MiB.
  bool next(std::string& line);
  /// Sets the prompt of the next line.
  void set_prompt(std::string prompt) { prompt_ = std::move(prompt); }
  /// True if the input is a terminal.
  bool interactive() const { return interactive_; }
  /// "standard input, line 3".
  std::string location(int64_t line) const;

 private:
  std::string prompt_;
  std::string name_;
  std::unique_ptr<LineReader> file_;
  bool interactive_ = false;
  int64_t number_ = 0;
};

}  // namespace lvtext
