#include "evaluators/unknown_words.h"

#include <algorithm>
#include <unordered_map>

#include "framework/core/text/word_tokens.h"

namespace lvtext {

std::vector<double> unknown_words(const Tokenizer& tokenizer, std::span<const std::string> lines) {
  const auto unknown = tokenizer.vocabulary().unk;
  std::unordered_map<std::string, bool> seen;  // word -> unknown
  std::vector<double> rows;
  for (const std::string& line : lines) {
    double count = 0, words = 0;
    for (const std::string& word : split_words(line, WordTokens::kWhitespace)) {
      const auto [entry, is_new] = seen.try_emplace(word, false);
      if (is_new) {
        const TokenIds ids = tokenizer.encode(word);
        entry->second =
            ids.empty() || (unknown && std::find(ids.begin(), ids.end(), *unknown) != ids.end());
      }
      count += entry->second ? 100 : 0;
      ++words;
    }
    rows.insert(rows.end(), {count, words});
  }
  return rows;
}

}  // namespace lvtext
