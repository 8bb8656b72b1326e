#include "framework/core/base/strings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "framework/core/base/characters.h"

namespace lvtext {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        next[j] = std::min(next[j], before[j - 2] + 1);
      }
    }
    before.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

namespace {

// Whether two short names differ in their first letter alone, as gpu and cpu do: this is rarely a
// typo.
bool is_other_word(std::string_view a, std::string_view b) {
  return a.size() <= 3 && a.size() == b.size() && !a.empty() && a[0] != b[0] &&
         a.substr(1) == b.substr(1);
}

}  // namespace

std::optional<std::string> nearest(std::string_view requested,
                                   const std::vector<std::string>& names) {
  auto folded = [](std::string_view text) {
    std::string result(text);
    for (char& c : result) c = c == '-' ? '_' : ascii_lower(c);
    return result;
  };
  const std::string target = folded(requested);
  const size_t limit = std::clamp<size_t>(target.size() / 3, 1, 3);
  std::optional<std::string> best, extended;
  size_t best_distance = limit + 1, extensions = 0;
  for (const auto& name : names) {
    const std::string other = folded(name);
    if (target.size() >= 3 && other.starts_with(target)) {
      ++extensions;
      if (!extended) extended = name;
    }
    const size_t distance = edit_distance(target, other);
    if (distance < best_distance && !is_other_word(target, other)) {
      best_distance = distance;
      best = name;
    }
  }
  const bool is_extension = extensions == 1 && best_distance > 0;
  return is_extension || !best ? extended : best;
}

std::string suggestion(std::string_view requested, const std::vector<std::string>& names) {
  if (names.empty()) return "there are none";
  const std::string list = "all: " + join(names);
  const auto near = nearest(requested.substr(0, 100), names);  // longer names are not typos
  return near ? "did you mean '" + *near + "'? (" + list + ")" : list;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i) text += separator;
    text += parts[i];
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view trim(std::string_view text) {
  const size_t from = text.find_first_not_of(" \t\r\n");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r\n") - from + 1);
}

std::string significant(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string format_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 64> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return std::string(text.data(), end.ptr);
}

std::string format_bytes(uint64_t bytes) {
  static const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
  return text;
}

std::string format_seconds(double seconds) {
  char text[32];
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (seconds < 60) {
    std::snprintf(text, sizeof text, "%.1fs", seconds);
  } else if (whole < 3600) {
    std::snprintf(text, sizeof text, "%dm%02ds", int(whole / 60), int(whole % 60));
  } else {
    std::snprintf(text, sizeof text, "%dh%02dm", int(whole / 3600), int(whole / 60 % 60));
  }
  return text;
}

std::string format_count(int64_t count) {
  std::string digits = std::to_string(count < 0 ? -count : count);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(at, ",");
  return count < 0 ? "-" + digits : digits;
}

}  // namespace lvtext
