// Tokens as metrics count them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evaluators/text_metrics/ngram_stats.h"

namespace lvtext {

/// Words between Unicode white space, as Python's str.split() sees it. Bytes that are not UTF-8 stay
/// in their words.
std::vector<std::string> tokenize_whitespace(std::string_view text);

/// The tokens of mteval-v13a.pl (its language-independent and its Western part), as sacreBLEU's "13a":
/// <skipped> removed, lines joined, &quot; &amp; &lt; &gt; unescaped, symbols and punctuation split
/// off, periods and commas unless a digit stands before and after, dashes after digits. Cased.
std::vector<std::string> tokenize_13a(std::string_view text);

/// The tokenisation `name` ("13a" or "whitespace") of `text`. Throws ConfigError for other names.
std::vector<std::string> tokenize_for_metric(std::string_view text, std::string_view name);

/// Gives each distinct token an id, 0, 1, 2 ... by first appearance.
class TokenInterner {
 public:
  int32_t id(std::string_view token);
  TokenIds ids(const std::vector<std::string>& tokens);
  size_t size() const { return ids_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, int32_t, Hash, std::equal_to<>> ids_;
};

}  // namespace lvtext
