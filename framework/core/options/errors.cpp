#include "framework/core/options/errors.h"

#include <algorithm>
#include <tuple>

#include "framework/core/base/characters.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"

namespace lvtext {
namespace {

constexpr size_t kPrinted = 20;
constexpr size_t kKept = 1000;  // limits memory: an adversarial file can have many more
constexpr size_t kLineWidth = 160;

std::string line_of(const std::string& text, int line) {
  size_t start = 0;
  for (int i = 1; i < line; ++i) {
    start = text.find('\n', start);
    if (start == std::string::npos) return "";
    ++start;
  }
  return text.substr(start, text.find('\n', start) - start);
}

// Replaces control characters, which a terminal would interpret, and removes trailing "\r".
std::string without_control_characters(std::string text) {
  while (!text.empty() && text.back() == '\r') text.pop_back();
  for (char& c : text) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) c = '?';
  }
  return text;
}

std::string excerpt(const SourceLocation& location, const std::string& hint) {
  std::string line = without_control_characters(line_of(location.source->text, location.line));
  size_t column = static_cast<size_t>(std::max(location.column - 1, 0));
  if (line.empty() || column > kLineWidth) return hint.empty() ? "" : "\n      | " + hint;
  column = std::min(column, line.size());
  size_t rest = std::max<size_t>(line.size() - column, 1);
  std::string padding, underline = "^";
  for (size_t i = 0; i < column; ++i) {
    if (!is_utf8_continuation(line[i])) padding += line[i] == '\t' ? '\t' : ' ';
  }
  size_t width = std::min(rest, static_cast<size_t>(std::max(location.width, 1)));
  for (size_t i = 1; i < std::min(width, kLineWidth); ++i) {
    if (!is_utf8_continuation(line[column + i])) underline += '~';
  }
  if (line.size() > kLineWidth) {
    size_t end = kLineWidth;
    while (end > 0 && is_utf8_continuation(line[end])) --end;
    line = line.substr(0, end) + "...";
  }
  std::string number = std::to_string(location.line);
  number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
  return "\n" + number + " | " + line + "\n" + std::string(number.size(), ' ') + " | " + padding +
         underline + (hint.empty() ? "" : " " + hint);
}

}  // namespace

std::string shown(const std::string& text) {
  std::string result = without_control_characters(text);
  std::replace(result.begin(), result.end(), '\t', ' ');
  if (result.size() > 60) {
    size_t end = 60;
    while (end > 0 && is_utf8_continuation(result[end])) --end;
    result = result.substr(0, end) + "...";
  }
  return "'" + result + "'";
}

void Errors::add(const SourceLocation& location, const std::string& message,
                 const std::string& hint, Exit code) {
  const bool is_known = std::any_of(messages_.begin(), messages_.end(), [&](const Message& each) {
    return each.location.source == location.source && each.location.line == location.line &&
           each.location.column == location.column && each.text == message;
  });
  if (is_known) return;
  code_ = count_ == 0 || code_ == code ? code : Exit::kBadConfig;
  ++count_;
  if (code == Exit::kBadConfig) ++config_errors_;
  only_overrides_ = only_overrides_ && location.source && location.source->is_override;
  if (messages_.size() < kKept) messages_.push_back({location, message, hint});
}

std::string Errors::report() const {
  // Sort by file (in the order of their first mistakes), then by line; the command line is last.
  std::vector<const Source*> sources;
  for (const Message& each : messages_) {
    if (std::find(sources.begin(), sources.end(), each.location.source.get()) == sources.end()) {
      sources.push_back(each.location.source.get());
    }
  }
  auto rank = [&](const SourceLocation& location) {
    size_t order =
        std::find(sources.begin(), sources.end(), location.source.get()) - sources.begin();
    return std::tuple(location.source && location.source->is_override, order, location.line,
                      location.column);
  };
  std::vector<Message> sorted = messages_;
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Message& a, const Message& b) {
    return rank(a.location) < rank(b.location);
  });

  std::string text;
  for (size_t i = 0; i < std::min(sorted.size(), kPrinted); ++i) {
    const Message& each = sorted[i];
    std::string location = each.location.text();
    text += (location.empty() ? "" : location + ": ") + "error: " + each.text;
    bool has_line =
        each.location.source && !each.location.source->is_override && each.location.line > 0;
    if (has_line) {
      text += excerpt(each.location, each.hint);
    } else if (!each.hint.empty()) {
      text += "; " + each.hint;
    }
    text += "\n";
  }
  if (count_ > kPrinted) text += "... and " + std::to_string(count_ - kPrinted) + " more\n";
  return text + format_count(count_, "error") + "; nothing was started.";
}

void Errors::throw_if_any() const {
  if (empty()) return;
  if (code_ == Exit::kMissingInput) throw MissingError(report());
  if (code_ != Exit::kBadConfig) throw Error(code_, report());
  if (only_overrides_) throw UsageError(report());
  throw ConfigError(report());
}

}  // namespace lvtext
