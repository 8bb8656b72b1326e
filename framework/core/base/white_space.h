// White space in UTF-8 text: one definition for readers, cleaning and lvtext's own tokenizers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lvtext {

/// Bytes of the white space character (Unicode's property White_Space) with which `text` begins; 0
/// if it begins with another character.
size_t white_space_length(std::string_view text);

/// True for a text of only white space and characters without width, such as the zero width space
/// (U+200B) and the byte order mark (U+FEFF).
bool is_blank(std::string_view text);

/// Strips white space at both ends and replaces each run of white space by one blank.
std::string collapse_white_space(std::string_view text);

/// The words between white space, without empty ones. They refer to `text`.
std::vector<std::string_view> split_white_space(std::string_view text);

}  // namespace lvtext
