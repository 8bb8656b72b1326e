// Tokenization for metrics.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

/// The words of a text in lower case: runs of letters, numbers and '_', and every other character
/// except white space (the regular expression \w+|[^\w\s] of the lower-cased text).
std::vector<std::string> tokenize_words(std::string_view text);

/// The characters of a text, white space included.
std::vector<std::string> tokenize_characters(std::string_view text);

/// The words that ConvAI2 (ParlAI) compares: A to Z in lower case, ASCII punctuation replaced by
/// blanks, without the articles a, an and the.
std::vector<std::string> tokenize_convai2(std::string_view text);

/// Tokenizes `text` by the tokenization `name`, "13a", "treebank" (treebank_words) or "whitespace".
/// Throws ConfigError for other names.
std::vector<std::string> tokenize_for_metric(std::string_view text, std::string_view name);

/// Assigns ids 0, 1, 2 ... to distinct tokens in order of first appearance. Has its own hash table:
/// with std::unordered_map, scoring took 2 to 3 times as long (tests/benchmarks/metrics.py).
class TokenInterner {
 public:
  int32_t id(std::string_view token);
  TokenIds ids(const std::vector<std::string>& tokens);
  /// Returns the ids of the tokens of `text` (tokenize_for_metric).
  TokenIds ids(std::string_view text, std::string_view tokenization);
  size_t size() const { return begins_.size(); }

 private:
  /// Entry of the hash table, which uses open addressing. The key of a token of at most 8 bytes is
  /// the token itself; the key of a longer token is a hash, and its bytes are compared with those
  /// in text_.
  struct Bucket {
    uint64_t key = 0;
    uint32_t bytes = 0;
    int32_t id = -1;  ///< -1: free
  };
  int32_t id(std::string_view token, uint64_t key);
  /// Returns the bucket of the token, or a free one for it.
  Bucket& bucket_of(uint64_t key, std::string_view token);
  void grow();

  std::string text_;             ///< all tokens concatenated, to avoid an allocation per token
  std::vector<size_t> begins_;   ///< id -> offset in text_
  std::vector<Bucket> buckets_;  ///< the size is a power of two
};

}  // namespace lvtext
