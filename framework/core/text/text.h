// Sentences that components hand over to each other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/core/text/tokenizer.h"

namespace lvtext {

/// Sentences as text and, where a model wrote or reads them, as the token ids of its tokenizer, so
/// that another model with the same tokenizer sees exactly these. Copies share the content.
class Text {
 public:
  Text() = default;
  /// Text alone: the outputs of any system.
  explicit Text(std::vector<std::string> lines);
  /// Token ids of a tokenizer, which are decoded when lines are asked for.
  Text(std::vector<TokenIds> ids, std::shared_ptr<const Tokenizer> tokenizer);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// One line for each sentence.
  std::span<const std::string> lines() const;
  /// False of text alone, which has no ids() and a null tokenizer().
  bool has_ids() const { return tokenizer() != nullptr; }
  std::span<const TokenIds> ids() const;
  const Tokenizer* tokenizer() const { return content_ ? content_->tokenizer.get() : nullptr; }
  /// The same, for texts made of this one.
  std::shared_ptr<const Tokenizer> shared_tokenizer() const {
    return content_ ? content_->tokenizer : nullptr;
  }
  /// The first `count` sentences, or all if there are fewer.
  Text first(int64_t count) const;

 private:
  struct Content {
    std::vector<std::string> lines;
    std::vector<TokenIds> ids;
    std::shared_ptr<const Tokenizer> tokenizer;
  };
  std::shared_ptr<Content> content_;  // lines that were decoded stay
  size_t size_ = 0;
};

}  // namespace lvtext
