// Locale-independent character classification, of bytes and code points.
#pragma once

#include <string>

namespace lvtext {

template <class Char>
constexpr bool is_digit(Char c) {
  return c >= '0' && c <= '9';
}

/// True for the characters of lower_snake names.
template <class Char>
constexpr bool is_name_character(Char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || c == '_';
}

/// Converts A to Z to lower case; other characters are unchanged.
template <class Char>
constexpr Char ascii_lower(Char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<Char>(c + 32) : c;
}
/// The same for each byte; non-ASCII characters are unchanged.
std::string ascii_lower(std::string text);

/// True for the second and later bytes of a UTF-8 character.
constexpr bool is_utf8_continuation(unsigned char byte) {
  return (byte & 0xC0) == 0x80;
}

}  // namespace lvtext
