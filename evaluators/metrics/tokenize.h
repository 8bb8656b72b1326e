// Tokens as metrics count them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "evaluators/metrics/ngram_stats.h"

namespace lvtext {

/// Words between Unicode white space, as Python's str.split() sees it. Bytes that are not UTF-8
/// stay in their words.
std::vector<std::string> tokenize_whitespace(std::string_view text);

/// The tokens of mteval-v13a.pl (its language-independent and its Western part), as sacreBLEU's
/// "13a": <skipped> removed, lines joined, &quot; &amp; &lt; &gt; unescaped, symbols and
/// punctuation split off, periods and commas unless a digit stands before and after, dashes after
/// digits. Cased.
std::vector<std::string> tokenize_13a(std::string_view text);

/// The tokenization `name` ("13a" or "whitespace") of `text`. Throws ConfigError for other names.
std::vector<std::string> tokenize_for_metric(std::string_view text, std::string_view name);

/// Gives each distinct token an id, 0, 1, 2 ... by first appearance.
class TokenInterner {
 public:
  int32_t id(std::string_view token);
  TokenIds ids(const std::vector<std::string>& tokens);
  /// The ids of the tokens of `text` (tokenize_for_metric).
  TokenIds ids(std::string_view text, std::string_view tokenization);
  size_t size() const { return begins_.size(); }

 private:
  /// Open addressing. A token of at most 8 bytes is its key; for a longer one the key is a hash,
  /// and its bytes are compared with those in text_.
  struct Slot {
    uint64_t key = 0;
    uint32_t bytes = 0;
    int32_t id = -1;  ///< -1: free
  };
  int32_t id(std::string_view token, uint64_t key);
  Slot& slot_of(uint64_t key, std::string_view token);
  void grow();

  std::string text_;            ///< of all tokens, end to end, so that none costs an allocation
  std::vector<size_t> begins_;  ///< id -> place in text_
  std::vector<Slot> slots_;     ///< a power of two
};

}  // namespace lvtext
