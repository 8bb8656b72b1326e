// Whole words as ids, for models that read words rather than pieces.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "framework/options/options.h"
#include "framework/text/token_ids.h"
#include "framework/text/vocabulary.h"

namespace lvtext {

/// Which words a vocabulary has.
struct WordOptions {
  int64_t most = 50000;
  int64_t min_count = 1;
  bool lowercase = false;

  template <class V>
  void visit(V& v) {
    v.field("most", most, "words at most, the most frequent ones; 0: all", at_least(0));
    v.field("min_count", min_count, "rarer words of the training text are left out", at_least(1));
    v.field("lowercase", lowercase, "upper-case letters A to Z are read as lower case");
  }
};

/// Treebank words with ids from 4 on, behind pad 0, begin 1, end 2, unknown 3 (token_ids.h).
/// Immutable; encode() may be called from many threads.
class WordVocabulary {
 public:
  /// The words of `sentences` by falling frequency, words of one frequency in the order of their
  /// bytes.
  static WordVocabulary count(const std::vector<std::string>& sentences,
                              const WordOptions& options);
  /// These words in this order. Throws DataError if one is empty or there twice.
  WordVocabulary(std::vector<std::string> words, bool lowercase);
  /// Reads what save() wrote. Throws MissingError or DataError.
  static WordVocabulary load(const std::filesystem::path& file);
  void save(const std::filesystem::path& file) const;

  /// Ids of the words of one sentence; words that the vocabulary lacks are left out.
  std::vector<int32_t> encode(std::string_view sentence) const;
  const std::vector<std::string>& words() const { return words_; }
  /// Special ids included.
  int32_t size() const { return static_cast<int32_t>(words_.size()) + kUnk + 1; }
  /// Its ids and which of them are special.
  Vocabulary vocabulary() const { return {size(), kBos, kEos, kPad, kUnk}; }

 private:
  std::vector<std::string> words_;
  bool lowercase_;
  std::unordered_map<std::string, int32_t> ids_;
};

}  // namespace lvtext
