// Sentences as text and token ids, as exchanged between components.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/core/text/tokenizer.h"

namespace lvtext {

/// Sentences as text and optionally, if a model generated or reads them, as token ids of its
/// tokenizer, so that a model with the same tokenizer uses exactly these ids. Copies share the
/// content.
class Text {
 public:
  Text() = default;
  /// Text without token ids, such as the output of another system.
  explicit Text(std::vector<std::string> lines);
  /// Token ids of a tokenizer; lines() decodes them on demand.
  Text(std::vector<TokenIds> ids, std::shared_ptr<const Tokenizer> tokenizer);
  /// Text with its token ids, from which decoding may not restore it (case, blanks, rare words).
  Text(std::vector<std::string> lines, std::vector<TokenIds> ids,
       std::shared_ptr<const Tokenizer> tokenizer);
  using LineReader = std::function<std::vector<std::string>()>;
  /// As above; the lines are read when they are first used.
  Text(LineReader lines, std::vector<TokenIds> ids, std::shared_ptr<const Tokenizer> tokenizer);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// One line per sentence.
  std::span<const std::string> lines() const;
  /// Whether lines() are decoded from the token ids, as opposed to the text as it was written.
  bool is_decoded() const { return content_ && content_->is_decoded; }
  /// False for text without token ids, for which ids() is empty and tokenizer() null.
  bool has_ids() const { return tokenizer() != nullptr; }
  std::span<const TokenIds> ids() const;
  const Tokenizer* tokenizer() const { return content_ ? content_->tokenizer.get() : nullptr; }
  /// The tokenizer as a shared pointer, for texts derived from this one.
  std::shared_ptr<const Tokenizer> shared_tokenizer() const {
    return content_ ? content_->tokenizer : nullptr;
  }
  /// The first `count` sentences, or all if there are fewer.
  Text first(int64_t count) const;

 private:
  struct Content {
    std::vector<std::string> lines;
    LineReader reader = {};  // of `lines`, until they are read
    bool is_decoded = false;
    std::vector<TokenIds> ids;
    std::shared_ptr<const Tokenizer> tokenizer;
  };
  std::shared_ptr<Content> content_;  // lines() caches read and decoded lines
  size_t size_ = 0;
};

}  // namespace lvtext
