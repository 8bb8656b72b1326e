// English stemmer.
#pragma once

#include <string>
#include <string_view>

namespace lvtext {

/// The stem of an English word by Snowball's algorithm "english" (Porter2) as of Snowball 2.2
/// (https://snowballstem.org/algorithms/english/stemmer.html). The word must be in lower case:
/// the vowels are a, e, i, o, u and y, and every other byte is a consonant. Words of one or two
/// bytes are their own stems.
std::string porter2_stem(std::string_view word);

}  // namespace lvtext
