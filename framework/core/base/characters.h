// Single characters, as bytes or as code points; no locale has a say.
#pragma once

#include <string>

namespace lvtext {

template <class Char>
constexpr bool is_digit(Char c) {
  return c >= '0' && c <= '9';
}

/// A to Z in lower case; every other character as it is.
template <class Char>
constexpr Char ascii_lower(Char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<Char>(c + 32) : c;
}
/// The same for each byte: UTF-8 stays UTF-8.
std::string ascii_lower(std::string text);

/// True for the bytes of a UTF-8 character but its first one.
constexpr bool is_utf8_continuation(unsigned char byte) {
  return (byte & 0xC0) == 0x80;
}

}  // namespace lvtext
