// Text to piece ids and back: SentencePiece with fixed special ids.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/text/token_ids.h"
#include "framework/text/tokenizer_options.h"
#include "framework/text/vocabulary.h"

namespace lvtext {

/// What training read.
struct TokenizerTraining {
  int64_t lines = 0;     ///< lines used
  int64_t empty = 0;     ///< lines without text, left out
  int64_t too_long = 0;  ///< lines over max_line_bytes, left out
};

/// A trained SentencePiece model. Immutable; `encode` and `decode` may be called from many threads.
class Tokenizer {
 public:
  /// Trains on `lines`. Deterministic: equal lines and options give equal bytes (one thread, no
  /// sampling). The vocabulary may come out smaller than asked on a small corpus. Throws DataError
  /// if no line has text, ConfigError if the options cannot be used with these lines.
  static Tokenizer train(const std::vector<std::string>& lines, const TokenizerOptions& options,
                         TokenizerTraining* seen = nullptr);
  /// From a model file's bytes; `name` stands in errors. Throws DataError if they are damaged or if
  /// the special ids are not pad 0, bos 1, eos 2, unk 3.
  static Tokenizer from_bytes(std::string bytes, const std::string& name);
  /// From a model file. Throws MissingError if it is not there, or DataError.
  static Tokenizer load(const std::filesystem::path& path);

  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  /// Piece ids without BOS and EOS; empty for a text without characters.
  std::vector<int32_t> encode(std::string_view text) const;
  /// Text of the ids; pad, bos and eos are dropped, unk becomes " ⁇ ".
  std::string decode(std::span<const int32_t> ids) const;
  /// Number of pieces, special ones included.
  int32_t size() const;
  /// Its ids and which of them are special.
  Vocabulary vocabulary() const { return {size(), kBos, kEos, kPad, kUnk}; }
  /// The piece as the model writes it ("▁the"). Throws std::logic_error if `id` is out of range.
  const std::string& piece(int32_t id) const;
  /// Id of a piece; kUnk if the model has none.
  int32_t id(std::string_view piece) const;
  /// The model file's bytes and their SHA-256: the tokenizer's identity.
  const std::string& bytes() const { return bytes_; }
  const std::string& sha256() const { return sha256_; }

 private:
  struct Model;
  Tokenizer(std::string bytes, const std::string& name);

  std::string bytes_;
  std::string sha256_;
  std::unique_ptr<Model> model_;
};

}  // namespace lvtext
