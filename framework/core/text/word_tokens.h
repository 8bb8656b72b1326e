// Division of text into words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/core/options/options.h"

namespace lvtext {

/// Rules that divide a text into words.
enum class WordTokens { kTreebank, kWhitespace };
const std::vector<EnumName<WordTokens>>& enum_names(WordTokens);

/// The words of a UTF-8 text: treebank_words(), or the words between white space.
std::vector<std::string> split_words(std::string_view text, WordTokens tokens);

}  // namespace lvtext
