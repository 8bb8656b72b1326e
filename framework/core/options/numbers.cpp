#include "framework/core/options/numbers.h"

#include <charconv>

#include "framework/core/base/characters.h"

namespace lvtext {
namespace {

// The length of -?(0|[1-9][0-9]*) at the start, or 0.
size_t int_length(std::string_view text) {
  size_t i = !text.empty() && text[0] == '-' ? 1 : 0;
  size_t start = i;
  while (i < text.size() && is_digit(text[i])) ++i;
  if (i == start || (text[start] == '0' && i > start + 1)) return 0;
  return i;
}

}  // namespace

std::optional<int64_t> parse_int(std::string_view text) {
  if (text.empty() || int_length(text) != text.size()) return std::nullopt;
  int64_t value = 0;
  auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_number_form(std::string_view text) {
  size_t i = int_length(text);
  if (i == 0) return false;
  if (i < text.size() && text[i] == '.') {
    size_t start = ++i;
    while (i < text.size() && is_digit(text[i])) ++i;
    if (i == start) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    size_t start = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    if (i == start) return false;
  }
  return i == text.size();
}

std::optional<double> parse_number(std::string_view text) {
  if (!is_number_form(text)) return std::nullopt;
  double value = 0;
  auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace lvtext
