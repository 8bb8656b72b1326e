#include "framework/core/text/word_tokens.h"

#include "framework/core/base/white_space.h"
#include "framework/core/text/treebank.h"

namespace lvtext {

const std::vector<EnumName<WordTokens>>& enum_names(WordTokens) {
  static const std::vector<EnumName<WordTokens>> names = {
      {"treebank", WordTokens::kTreebank, "words by the Penn Treebank's rules"},
      {"whitespace", WordTokens::kWhitespace,
       "words separated by whitespace, for text that is already tokenized"}};
  return names;
}

std::vector<std::string> split_words(std::string_view text, WordTokens tokens) {
  if (tokens == WordTokens::kTreebank) return treebank_words(text);
  const std::vector<std::string_view> words = split_white_space(text);
  return {words.begin(), words.end()};
}

}  // namespace lvtext
