// Whole words as tokens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "framework/core/options/options.h"
#include "framework/core/text/tokenizer.h"

namespace lvtext {

/// The file of save() in a tokenizer's folder.
inline constexpr const char* kWordsFile = "words.json";

/// Which words are tokens.
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

/// Treebank words with ids from 4 on, behind padding 0, BOS 1, EOS 2, unknown 3.
class Words : public Tokenizer {
 public:
  /// The words of `sentences` by falling frequency, words of one frequency in the order of their
  /// bytes.
  static Words count(const std::vector<std::string>& sentences, const WordOptions& options);
  /// These words in this order. Throws DataError if one is empty or there twice.
  Words(std::vector<std::string> words, bool lowercase);
  /// Reads what save() wrote. Throws MissingError or DataError.
  static Words load(const std::filesystem::path& file);
  void save(const std::filesystem::path& file) const;

  /// Words that are no tokens are left out.
  TokenIds encode(std::string_view sentence) const override;
  /// The words with blanks between them; the unknown word is "<unk>".
  std::string decode(std::span<const int32_t> ids) const override;
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  /// True but for special ids.
  std::optional<bool> begins_word(int32_t id) const override;
  const std::string& sha256() const override { return sha256_; }
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::string text() const;

  std::vector<std::string> words_;
  bool lowercase_;
  std::unordered_map<std::string, int32_t> ids_;
  Vocabulary vocabulary_;
  std::string sha256_;
};

}  // namespace lvtext
