// Words of texts that are not in a model's vocabulary.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/core/text/tokenizer.h"

namespace lvtext {

/// For each line 100 x its unknown words and its number of words, for the functional "ratio": the
/// share of unknown words in %. Words are separated by white space; one is unknown if its encoding
/// is empty (the tokenizer drops it) or contains the unknown token.
std::vector<double> unknown_words(const Tokenizer& tokenizer, std::span<const std::string> lines);

}  // namespace lvtext
