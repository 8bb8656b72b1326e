// SentencePiece tokenizer with fixed special ids.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/text/tokenizer.h"
#include "framework/core/text/tokenizer_options.h"

namespace lvtext {

/// Line counts of a training.
struct TokenizerTraining {
  int64_t lines = 0;     ///< lines used
  int64_t empty = 0;     ///< lines without text, skipped
  int64_t too_long = 0;  ///< lines longer than max_line_bytes, skipped
};

/// A trained SentencePiece model.
class SentencePiece : public Tokenizer {
 public:
  /// Trains on `lines`. Deterministic: equal lines and options give equal bytes (one thread, no
  /// sampling). On a small corpus the vocabulary may be smaller than requested. Throws DataError if
  /// no line can be used, ConfigError if SentencePiece rejects the options for these lines.
  static SentencePiece train(const std::vector<std::string>& lines, const TokenizerOptions& options,
                             TokenizerTraining* seen = nullptr);
  /// Parses the content of a model file; `name` is used in errors. Throws DataError if it is
  /// damaged or the special ids are not pad 0, bos 1, eos 2, unk 3.
  static SentencePiece from_bytes(std::string bytes, const std::string& name);
  /// Loads a model file. Throws MissingError if it does not exist, or DataError.
  static SentencePiece load(const std::filesystem::path& path);

  ~SentencePiece() override;
  SentencePiece(SentencePiece&&) noexcept;
  SentencePiece& operator=(SentencePiece&&) noexcept;

  TokenIds encode(std::string_view text) const override;
  /// The unknown token is decoded as " ⁇ ".
  std::string decode(std::span<const int32_t> ids) const override;
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  /// True for tokens with a leading "▁".
  std::optional<bool> begins_word(int32_t id) const override;
  const std::string& sha256() const override { return sha256_; }
  /// The token string in the model ("▁the"). Throws std::logic_error if `id` is out of range.
  const std::string& piece(int32_t id) const;
  /// Id of a token; the id of the unknown token if the model does not contain it.
  int32_t id(std::string_view piece) const;
  /// Content of the model file.
  const std::string& bytes() const { return bytes_; }

 private:
  struct Model;
  SentencePiece(std::string bytes, const std::string& name);

  std::string bytes_;
  std::string sha256_;
  Vocabulary vocabulary_;
  std::unique_ptr<Model> model_;
};

}  // namespace lvtext
