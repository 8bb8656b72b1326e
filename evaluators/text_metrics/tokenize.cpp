#include "evaluators/text_metrics/tokenize.h"

#include <algorithm>
#include <array>
#include <utility>

#include "framework/base/error.h"
#include "framework/base/strings.h"

namespace lvtext {
namespace {

// The bytes of the white space character (str.isspace() of Python) at `text[at]`, or 0.
size_t space_bytes(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first == ' ' || (first >= 0x09 && first <= 0x0D) || (first >= 0x1C && first <= 0x1F)) {
    return 1;
  }
  // U+0085 and U+00A0.
  if (first == 0xC2) return byte(1) == 0x85 || byte(1) == 0xA0 ? 2 : 0;
  if (first < 0xE1 || first > 0xE3) return 0;
  const unsigned code = (first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
  if ((byte(1) & 0xC0) != 0x80 || (byte(2) & 0xC0) != 0x80) return 0;
  const bool space = code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
                     code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
  return space ? 3 : 0;
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_stop(char c) { return c == '.' || c == ','; }

// The symbols of [{-~[-` -&(-+:-@/]: ASCII punctuation without ' , - . and the letters' case.
bool is_symbol(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

// Each function below is one substitution of the reference's regular expressions. A match consumes
// its characters, so the next may start only after it. Bytes of a UTF-8 character are never digits or
// ASCII symbols, so working on bytes gives what working on characters gives.

std::string split_symbols(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_symbol(c)) {
      out += ' ';
      out += c;
      out += ' ';
    } else {
      out += c;
    }
  }
  return out;
}

std::string split_stop_not_after_digit(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (!is_digit(text[i]) && i + 1 < text.size() && is_stop(text[i + 1])) {
      out += ' ';
      out += text[++i];
      out += ' ';
    }
  }
  return out;
}

std::string split_stop_not_before_digit(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_stop(text[i]) && i + 1 < text.size() && !is_digit(text[i + 1])) {
      out += ' ';
      out += text[i];
      out += ' ';
      ++i;
    }
    out += text[i];
  }
  return out;
}

std::string split_dash_after_digit(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (is_digit(text[i]) && i + 1 < text.size() && text[i + 1] == '-') {
      out += ' ';
      out += text[++i];
      out += ' ';
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> tokenize_whitespace(std::string_view text) {
  std::vector<std::string> words;
  size_t start = 0;
  for (size_t i = 0; i < text.size();) {
    const size_t space = space_bytes(text, i);
    if (space == 0) {
      ++i;
      continue;
    }
    if (i > start) words.emplace_back(text.substr(start, i - start));
    i += space;
    start = i;
  }
  if (start < text.size()) words.emplace_back(text.substr(start));
  return words;
}

std::vector<std::string> tokenize_13a(std::string_view text) {
  // The order matters: "&amp;lt;" becomes "<".
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kReplaced{{
      {"<skipped>", ""},
      {"-\n", ""},
      {"\n", " "},
      {"&quot;", "\""},
      {"&amp;", "&"},
      {"&lt;", "<"},
      {"&gt;", ">"},
  }};
  // sacreBLEU strips trailing white space before it joins lines: a final "-\n" keeps its dash.
  while (!text.empty() && space_bytes(text, text.size() - 1) == 1) text.remove_suffix(1);
  std::string line(text);
  for (const auto& [from, to] : kReplaced) line = replace_all(std::move(line), from, to);
  line = " " + line + " ";
  line = split_symbols(line);
  line = split_stop_not_after_digit(line);
  line = split_stop_not_before_digit(line);
  line = split_dash_after_digit(line);
  return tokenize_whitespace(line);
}

std::vector<std::string> tokenize_for_metric(std::string_view text, std::string_view name) {
  if (name == "13a") return tokenize_13a(text);
  if (name == "whitespace") return tokenize_whitespace(text);
  std::string message = "tokenization of a metric: unknown name \"" + std::string(name) +
                        "\"; allowed are 13a, whitespace";
  if (const auto near = nearest(name, {"13a", "whitespace"})) {
    message += "; did you mean \"" + *near + "\"?";
  }
  throw ConfigError(message);
}

int32_t TokenInterner::id(std::string_view token) {
  const auto found = ids_.find(token);
  if (found != ids_.end()) return found->second;
  const auto next = static_cast<int32_t>(ids_.size());
  ids_.emplace(token, next);
  return next;
}

TokenIds TokenInterner::ids(const std::vector<std::string>& tokens) {
  TokenIds out;
  out.reserve(tokens.size());
  for (const std::string& token : tokens) out.push_back(id(token));
  return out;
}

}  // namespace lvtext
