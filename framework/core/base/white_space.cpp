#include "framework/core/base/white_space.h"

#include <array>

namespace lvtext {
namespace {

using std::string_view_literals::operator""sv;

// The white space beyond ASCII and the characters without width, as UTF-8.
constexpr std::array kWhiteSpace = {"\u0085"sv, "\u00A0"sv, "\u1680"sv, "\u2000"sv, "\u2001"sv,
                                    "\u2002"sv, "\u2003"sv, "\u2004"sv, "\u2005"sv, "\u2006"sv,
                                    "\u2007"sv, "\u2008"sv, "\u2009"sv, "\u200A"sv, "\u2028"sv,
                                    "\u2029"sv, "\u202F"sv, "\u205F"sv, "\u3000"sv};
constexpr std::array kWithoutWidth = {"\u00AD"sv, "\u180E"sv, "\u200B"sv, "\u200C"sv, "\u200D"sv,
                                      "\u200E"sv, "\u200F"sv, "\u202A"sv, "\u202B"sv, "\u202C"sv,
                                      "\u202D"sv, "\u202E"sv, "\u2060"sv, "\uFEFF"sv};

template <size_t N>
size_t length_of(const std::array<std::string_view, N>& characters, std::string_view text) {
  for (const std::string_view each : characters) {
    if (text.starts_with(each)) return each.size();
  }
  return 0;
}

}  // namespace

size_t white_space_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = static_cast<unsigned char>(text.front());
  if (byte < 0x80) return byte == ' ' || (byte >= '\t' && byte <= '\r') ? 1 : 0;
  return byte == 0xC2 || (byte >= 0xE1 && byte <= 0xE3) ? length_of(kWhiteSpace, text) : 0;
}

bool is_blank(std::string_view text) {
  while (!text.empty()) {
    size_t length = white_space_length(text);
    if (length == 0) length = length_of(kWithoutWidth, text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::vector<std::string_view> split_white_space(std::string_view text) {
  std::vector<std::string_view> words;
  size_t begin = 0;  // of the current word
  for (size_t at = 0; at <= text.size();) {
    const size_t space = white_space_length(text.substr(at));
    if (at < text.size() && space == 0) {
      ++at;
      continue;
    }
    if (at > begin) words.push_back(text.substr(begin, at - begin));
    at += space > 0 ? space : 1;
    begin = at;
  }
  return words;
}

std::string collapse_white_space(std::string_view text) {
  std::string collapsed;
  collapsed.reserve(text.size());
  for (const std::string_view word : split_white_space(text)) {
    if (!collapsed.empty()) collapsed += ' ';
    collapsed += word;
  }
  return collapsed;
}

}  // namespace lvtext
