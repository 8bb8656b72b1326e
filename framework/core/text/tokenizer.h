// Text to token ids and back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "framework/core/text/token_ids.h"
#include "framework/core/text/vocabulary.h"

namespace lvtext {

/// What turns text into the ids that models read. Immutable; may be used from many threads.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  /// Ids without BOS and EOS; empty for a text without tokens.
  virtual TokenIds encode(std::string_view text) const = 0;
  /// Text of the ids; BOS, EOS and padding are dropped. Throws std::logic_error for an id that is
  /// not in the vocabulary.
  virtual std::string decode(std::span<const int32_t> ids) const = 0;
  virtual const Vocabulary& vocabulary() const = 0;
  /// Whether a word begins with this token; none where the tokenizer does not tell. Throws
  /// std::logic_error for an id that is not in the vocabulary.
  virtual std::optional<bool> begins_word(int32_t id) const = 0;
  /// SHA-256 of all that decides its ids: the tokenizer's identity.
  virtual const std::string& sha256() const = 0;
  /// Number of ids.
  int32_t size() const { return vocabulary().size; }
};

}  // namespace lvtext
