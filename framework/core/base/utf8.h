// UTF-8: is a text valid, and if not, where and in which way.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lvtext {

/// The first flaw of a text that should be UTF-8.
struct Utf8Flaw {
  size_t at;      ///< byte position where the ill-formed sequence starts
  size_t length;  ///< bytes of its maximal ill-formed part (what one U+FFFD replaces), at least 1
  const char* what;  ///< "overlong form", "surrogate", "above U+10FFFF", "NUL byte", ...
};

/// The first flaw at or after byte `from`; none if the rest is valid. A NUL byte counts as a flaw:
/// no text of ours holds one, and binary files do.
std::optional<Utf8Flaw> find_utf8_flaw(std::string_view text, size_t from = 0);

/// `text` with every ill-formed sequence replaced by U+FFFD (the Unicode standard's "maximal
/// subpart" practice, section 3.9).
std::string replace_utf8_flaws(std::string_view text);

/// The largest prefix length of at most `bytes` that does not cut a valid sequence in two.
size_t utf8_prefix(std::string_view text, size_t bytes);

}  // namespace lvtext
