// Tokenizer for tests with given texts and ids.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "framework/core/text/tokenizer.h"

namespace lvtext::testing {

/// Encodes and decodes with the given functions; `sha256` is its identity.
class FixedTokenizer : public Tokenizer {
 public:
  using Decode = std::function<std::string(std::span<const int32_t>)>;
  using Encode = std::function<TokenIds(std::string_view)>;
  FixedTokenizer(Decode decode, Encode encode, std::string sha256)
      : decode_(std::move(decode)), encode_(std::move(encode)), sha256_(std::move(sha256)) {}

  TokenIds encode(std::string_view text) const override { return encode_(text); }
  std::string decode(std::span<const int32_t> ids) const override { return decode_(ids); }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<bool> begins_word(int32_t) const override { return std::nullopt; }
  const std::string& sha256() const override { return sha256_; }

 private:
  Decode decode_;
  Encode encode_;
  std::string sha256_;
  Vocabulary vocabulary_ = {.size = 100, .bos = 1, .eos = 2, .pad = 0, .unk = 3};
};

inline std::shared_ptr<const Tokenizer> fixed_tokenizer(FixedTokenizer::Decode decode,
                                                        FixedTokenizer::Encode encode = {},
                                                        std::string sha256 = "00000000") {
  return std::make_shared<const FixedTokenizer>(std::move(decode), std::move(encode),
                                                std::move(sha256));
}

}  // namespace lvtext::testing
