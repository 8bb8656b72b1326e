// Byte-level byte pair encoding, as in GPT-2 (Radford et al. 2019): every text has token ids, and
// they determine the text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "framework/core/text/tokenizer.h"

namespace lvtext {

/// Name of the file of ByteBpe::save() in a tokenizer's folder.
inline constexpr const char* kByteBpeFile = "byte_bpe.json";

/// Tokens that are not made of merges.
struct AddedTokens {
  std::vector<std::string> texts;  ///< with the ids after the merges, in this order
  /// Those of `texts` that are the vocabulary's BOS, EOS and padding.
  std::optional<std::string> bos = {}, eos = {}, pad = {};
};

/// Divides a text into the pretokens within which bytes are merged: words with the blank before
/// them, numbers, punctuation, contractions, white space. Equal to GPT-2's regular expression
/// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ with the character
/// categories of utf8proc. Bytes that are not UTF-8 count as punctuation. The pretokens refer to
/// `text` and are all of it.
std::vector<std::string_view> byte_bpe_pretokens(std::string_view text);

/// Ids 0 to 255 are bytes, in the order of GPT-2's byte symbols; then one id per merge; then the
/// added tokens. Decoding concatenates the bytes of the tokens; added tokens other than BOS, EOS
/// and padding are written as their texts.
class ByteBpe : public Tokenizer {
 public:
  /// A merge of two tokens, as their bytes.
  using Merge = std::pair<std::string, std::string>;

  /// Throws DataError for a merge of tokens that do not exist (yet) or that has occurred, and for
  /// an added token that is empty or a repetition.
  ByteBpe(std::vector<Merge> merges, AddedTokens added);
  /// Learns merges from texts until there are `size` ids with the added tokens: always the most
  /// frequent pair of adjacent tokens; of equally frequent ones, that with the lowest ids. Stops
  /// earlier if no pair occurs twice. Throws ConfigError if `size` has no room for the bytes.
  static ByteBpe train(const std::vector<std::string>& texts, int64_t size, AddedTokens added);
  /// Reads merges in GPT-2's format (`merges.txt`, `vocab.bpe`, plain or gzip): one merge of two
  /// tokens in byte symbols per line, after an optional first line "#version...". Throws DataError.
  static ByteBpe read_merges(const std::filesystem::path& file, AddedTokens added);
  /// Reads the tokenizer of a folder in the Hugging Face layout: tokenizer.json, or else merges.txt
  /// and, if there is one, vocab.json, whose other tokens are added ones. BOS, EOS and padding are
  /// those of special_tokens_map.json or tokenizer_config.json, if there is one. Throws
  /// MissingError for a folder without these files, and DataError for a tokenizer of another kind
  /// or with ids in another order.
  static ByteBpe read_published(const std::filesystem::path& folder);
  /// Loads a file written by save(). Throws MissingError or DataError.
  static ByteBpe load(const std::filesystem::path& file);
  void save(const std::filesystem::path& file) const;

  /// Added tokens in the text are single ids.
  TokenIds encode(std::string_view text) const override;
  std::string decode(std::span<const int32_t> ids) const override;
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  /// True for tokens that begin with white space, or with a character that is neither letter nor
  /// number; false for the bytes of a divided character. The first word of a text has no blank
  /// before it.
  std::optional<bool> begins_word(int32_t id) const override;
  const std::string& sha256() const override { return sha256_; }
  int64_t merges() const { return static_cast<int64_t>(merges_.size()); }
  const std::vector<Merge>& merge_list() const { return merges_; }
  /// Bytes of a token; the text of an added one.
  const std::string& token(int32_t id) const;

 private:
  std::string text() const;
  void add_special_ids();
  void encode_pretoken(std::string_view pretoken, TokenIds& ids) const;

  std::vector<Merge> merges_;
  AddedTokens added_;
  std::vector<std::string> tokens_;  ///< bytes of each id
  /// Rank of the merge of two ids, by left << 32 | right.
  std::unordered_map<uint64_t, int32_t> ranks_;
  std::vector<int32_t> merged_;  ///< id that each merge gives
  Vocabulary vocabulary_;
  std::string sha256_;
};

}  // namespace lvtext
