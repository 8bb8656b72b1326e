// WordPiece as in BERT (Devlin, Chang, Lee and Toutanova 2019).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "framework/core/text/tokenizer.h"

namespace lvtext {

/// Name of the file of WordPiece::save() in a tokenizer's folder.
inline constexpr const char* kWordPieceFile = "word_piece.json";

/// Tokens are words, parts that begin a word, and parts that continue one, which begin with "##".
/// A text is divided in these steps, as by BERT's authors:
///  1. [CLS], [SEP], [PAD], [UNK] and [MASK] in the text are their ids.
///  2. Control characters, U+FFFD and bytes that are not UTF-8 are removed; white space is a blank;
///     Chinese characters are words.
///  3. With `lower_case`: canonical decomposition without non-spacing marks (accents), then lower
///     case, character by character.
///  4. Words end at white space; punctuation and ASCII symbols are words.
///  5. A word is divided into the longest tokens from its start. It is [UNK] if there is none for a
///     rest or if it has more than 100 characters.
/// Character properties are those of utf8proc. [CLS] is BOS and [SEP] is EOS.
class WordPiece : public Tokenizer {
 public:
  /// `pieces` in the order of their ids. Throws DataError for a repetition, an empty piece, or if
  /// [UNK], [CLS], [SEP] or [PAD] is missing.
  WordPiece(std::vector<std::string> pieces, bool lower_case);
  /// Reads a vocabulary (`vocab.txt`, plain or gzip): a piece per line. Throws DataError.
  static WordPiece read_vocabulary(const std::filesystem::path& file, bool lower_case);
  /// Loads a file written by save(). Throws MissingError or DataError.
  static WordPiece load(const std::filesystem::path& file);
  void save(const std::filesystem::path& file) const;

  TokenIds encode(std::string_view text) const override;
  /// Words separated by a blank; BOS, EOS and padding are left out. The text is not restored: case,
  /// accents and white space are lost.
  std::string decode(std::span<const int32_t> ids) const override;
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<bool> begins_word(int32_t id) const override;
  const std::string& sha256() const override { return sha256_; }
  const std::string& piece(int32_t id) const;

 private:
  std::string text() const;
  /// Appends the ids of text without special tokens.
  void encode_words(std::string_view text, TokenIds& ids) const;
  void encode_word(const std::vector<int32_t>& word, TokenIds& ids) const;

  std::vector<std::string> pieces_;
  bool lower_case_;
  std::unordered_map<std::string, int32_t> ids_;
  Vocabulary vocabulary_;
  std::string sha256_;
};

}  // namespace lvtext
