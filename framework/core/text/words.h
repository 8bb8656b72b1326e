// Tokenizer whose tokens are whole words.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "framework/core/options/options.h"
#include "framework/core/text/tokenizer.h"
#include "framework/core/text/word_tokens.h"

namespace lvtext {

/// Name of the file of save() in a tokenizer's folder.
inline constexpr const char* kWordsFile = "words.json";

/// Selection of the words that are tokens. The optional options are not part of identities if they
/// are unset.
struct WordOptions {
  int64_t most = 50000;
  int64_t min_count = 1;
  bool lowercase = false;
  std::optional<WordTokens> tokenize;
  std::optional<bool> keep_unknown;

  template <class V>
  void visit(V& v) {
    v.field("most", most, "maximum number of words (the most frequent ones); 0: no limit",
            at_least(0));
    v.field("min_count", min_count,
            "minimum frequency of a word in the training text; rarer words are excluded",
            at_least(1));
    v.field("lowercase", lowercase, "converts the letters A to Z to lower case");
    v.field("tokenize", tokenize, "rules that divide a text into words (unset: treebank)");
    v.field(
        "keep_unknown", keep_unknown,
        "encodes unknown words, and <unk> in a text, as the unknown token (unset: unknown words "
        "are dropped)");
  }
};

/// Encoding of a sentence by a vocabulary of words.
struct WordEncoding {
  bool lowercase = false;
  WordTokens tokenize = WordTokens::kTreebank;
  bool keep_unknown = false;  ///< false: words that are not in the vocabulary are dropped
  /// A word between white space, or between punctuation marks around it, that the vocabulary has is
  /// one token; the Penn Treebank's rules divide the rest.
  bool whole_words = false;
};

/// Words with ids from 4 upwards, after padding 0, BOS 1, EOS 2 and unknown 3.
class Words : public Tokenizer {
 public:
  /// The words of `sentences` in descending order of frequency; ties are sorted by bytes. With
  /// `keep_unknown`, "<unk>" is not counted.
  static Words count(const std::vector<std::string>& sentences, const WordOptions& options);
  /// A vocabulary of these words in this order. Throws DataError if a word is empty or repeated.
  Words(std::vector<std::string> words, WordEncoding encoding);
  /// Loads a file written by save(). Throws MissingError or DataError.
  static Words load(const std::filesystem::path& file);
  void save(const std::filesystem::path& file) const;

  /// Words that are not in the vocabulary are dropped, or kept as the unknown token.
  TokenIds encode(std::string_view sentence) const override;
  /// The words separated by blanks; the unknown word is "<unk>".
  std::string decode(std::span<const int32_t> ids) const override;
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  /// True except for special ids; also true for the unknown token if it encodes words.
  std::optional<bool> begins_word(int32_t id) const override;
  const std::string& sha256() const override { return sha256_; }
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::string text() const;
  /// A word between white space, divided into the longest word of the vocabulary that punctuation
  /// marks surround and these marks; empty if there is none.
  std::vector<std::string> whole_words(std::string_view word) const;
  /// The words of a sentence, as the encoding specifies.
  std::vector<std::string> split_sentence(std::string_view sentence) const;

  std::vector<std::string> words_;
  WordEncoding encoding_;
  std::unordered_map<std::string, int32_t> ids_;
  Vocabulary vocabulary_;
  std::string sha256_;
};

}  // namespace lvtext
