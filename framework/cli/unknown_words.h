// Notices about words outside a model's vocabulary.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "framework/core/text/tokenizer.h"

namespace lvtext {

/// Collects the words of texts that a tokenizer ignores or reads as its unknown token.
class UnknownWords {
 public:
  /// `tokenizer` must outlive it.
  explicit UnknownWords(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  void add(const std::vector<std::string>& lines);
  /// Logs the words added since the last call. Each word is logged once.
  void log();

 private:
  const Tokenizer& tokenizer_;
  std::set<std::string> seen_;    ///< all words added so far
  std::vector<std::string> new_;  ///< unknown words that are not logged yet
};

}  // namespace lvtext
