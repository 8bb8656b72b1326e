// Unicode characters: code points of UTF-8 text, and the data version that their properties have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lvtext {

/// Code points of a text in Unicode's canonical decomposition (NFD). Bytes that are not UTF-8 and
/// NUL are U+FFFD.
std::vector<int32_t> canonical_decomposition(std::string_view text);

/// The code points without decomposition.
std::vector<int32_t> code_points(std::string_view text);

/// Appends the UTF-8 form of a code point.
void append_utf8(std::string& text, int32_t code_point);

/// True for letters, numbers (Unicode's categories L and N) and '_', as the class \w of Python's
/// regular expressions.
bool is_word_character(int32_t code_point);
/// The lower-case form of a letter; other characters are unchanged.
int32_t lower_case(int32_t code_point);

/// Version of the Unicode data that tokenizers depend on: "utf8proc 2.8.0, Unicode 15.0.0".
std::string unicode_version();

}  // namespace lvtext
