// UTF-8 validation.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lvtext {

/// The first error in UTF-8 text.
struct InvalidUtf8 {
  size_t at;         ///< byte offset of the ill-formed sequence
  size_t length;     ///< bytes of its maximal ill-formed part (replaced by one U+FFFD), at least 1
  const char* what;  ///< "overlong form", "surrogate", "above U+10FFFF", "NUL byte", ...
};

/// The first error at or after byte `from`; none if the rest is valid. NUL bytes are errors,
/// because they occur in binary files but not in text.
std::optional<InvalidUtf8> find_invalid_utf8(std::string_view text, size_t from = 0);

/// Replaces every ill-formed sequence by U+FFFD (the Unicode standard's "maximal
/// subpart" practice, section 3.9).
std::string replace_invalid_utf8(std::string_view text);

/// Length of the longest prefix of at most `bytes` that does not split a valid sequence.
size_t utf8_prefix(std::string_view text, size_t bytes);

}  // namespace lvtext
