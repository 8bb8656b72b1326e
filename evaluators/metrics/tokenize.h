// Tokenization for metrics.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evaluators/metrics/ngram_stats.h"

namespace lvtext {

/// Splits at Unicode whitespace, as Python's str.split(). Invalid UTF-8 bytes are parts of words.
std::vector<std::string> tokenize_whitespace(std::string_view text);

/// Tokenizes like mteval-v13a.pl (its language-independent and Western parts) and sacreBLEU's
/// "13a": removes <skipped>, joins lines, unescapes &quot; &amp; &lt; &gt;, and splits off symbols
/// and punctuation, periods and commas unless between digits, and dashes after digits. Case is
/// kept.
std::vector<std::string> tokenize_13a(std::string_view text);

/// Tokenizes `text` by the tokenization `name`, "13a" or "whitespace". Throws ConfigError for other
/// names.
std::vector<std::string> tokenize_for_metric(std::string_view text, std::string_view name);

/// Assigns ids 0, 1, 2 ... to distinct tokens in order of first appearance.
class TokenInterner {
 public:
  int32_t id(std::string_view token);
  TokenIds ids(const std::vector<std::string>& tokens);
  /// Returns the ids of the tokens of `text` (tokenize_for_metric).
  TokenIds ids(std::string_view text, std::string_view tokenization);
  size_t size() const { return ids_.size(); }

 private:
  struct Hash {
    using is_transparent = void;  // lookup without a copy of the token
    size_t operator()(std::string_view token) const { return std::hash<std::string_view>{}(token); }
  };
  std::unordered_map<std::string, int32_t, Hash, std::equal_to<>> ids_;
};

}  // namespace lvtext
