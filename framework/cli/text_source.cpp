#include "framework/cli/text_source.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "framework/core/base/error.h"
#include "framework/core/base/utf8.h"

namespace lvtext {

TextSource::TextSource(const std::string& file, std::string prompt)
    : prompt_(std::move(prompt)), name_(file.empty() ? "standard input" : "'" + file + "'") {
  if (file.empty()) {
    interactive_ = ::isatty(STDIN_FILENO) == 1;
  } else {
    file_ = std::make_unique<LineReader>(file, LineOptions{.pipes = Pipes::kAccept});
  }
}

bool TextSource::next(std::string& line) {
  if (file_) {
    if (!file_->next(line)) return false;
    ++number_;
    return true;
  }
  if (interactive_) std::fputs(prompt_.c_str(), stderr);
  if (!std::getline(std::cin, line)) {
    if (interactive_) std::fputc('\n', stderr);
    return false;
  }
  ++number_;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  if (line.size() > LineOptions{}.max_bytes) {
    throw DataError(location(number_) + ": has " + std::to_string(line.size()) +
                    " bytes, at most " + std::to_string(LineOptions{}.max_bytes) + " are allowed");
  }
  if (const auto problem = find_invalid_utf8(line)) {
    throw DataError(location(number_) + ": is not UTF-8 at byte " +
                    std::to_string(problem->at + 1) + " (" + problem->what + ")");
  }
  return true;
}

std::string TextSource::location(int64_t line) const {
  return name_ + ", line " + std::to_string(line);
}

}  // namespace lvtext
