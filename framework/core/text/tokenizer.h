// Interface of tokenizers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "framework/core/text/token_ids.h"
#include "framework/core/text/vocabulary.h"

namespace lvtext {

/// Converts text to the token ids that models read, and back. Immutable and thread-safe.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  /// Token ids without BOS and EOS; empty for a text without tokens.
  virtual TokenIds encode(std::string_view text) const = 0;
  /// Text of the ids without BOS, EOS and padding. Throws std::logic_error for an id that is not in
  /// the vocabulary.
  virtual std::string decode(std::span<const int32_t> ids) const = 0;
  virtual const Vocabulary& vocabulary() const = 0;
  /// Whether this token is the first of a word; nullopt if the tokenizer has no word boundaries.
  /// Throws std::logic_error for an id that is not in the vocabulary.
  virtual std::optional<bool> begins_word(int32_t id) const = 0;
  /// SHA-256 of everything that determines the ids; identifies the tokenizer.
  virtual const std::string& sha256() const = 0;
  /// Number of ids.
  int32_t size() const { return vocabulary().size; }
};

}  // namespace lvtext
