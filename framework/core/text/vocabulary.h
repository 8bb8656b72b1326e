// Vocabulary of a tokenizer: its size and special ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lvtext {

/// Ids are in [0, size). Special ids are set if the tokenizer has them: beginning and end of a
/// sentence, padding, and the unknown token.
struct Vocabulary {
  int32_t size = 0;
  std::optional<int32_t> bos, eos, pad, unk;

  bool operator==(const Vocabulary&) const = default;
};

/// The id of BOS, EOS or padding. Throws ConfigError if the tokenizer has none; `needed_by` names
/// the component that requires it in the message: "the encoder".
int32_t bos_of(const Vocabulary& vocabulary, const std::string& needed_by);
int32_t eos_of(const Vocabulary& vocabulary, const std::string& needed_by);
int32_t pad_of(const Vocabulary& vocabulary, const std::string& needed_by);

/// The first input token of a decoder: BOS or, without one, EOS. Throws ConfigError if the
/// tokenizer has neither.
int32_t start_of(const Vocabulary& vocabulary);

/// Ids that decoding never generates, in ascending order: padding and BOS, unless equal to EOS.
std::vector<int32_t> never_chosen(const Vocabulary& vocabulary);

}  // namespace lvtext
