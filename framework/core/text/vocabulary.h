// The ids of a tokenizer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lvtext {

/// Ids are in [0, size). Those that stand for no text are named where a tokenizer has them: begin
/// and end of a sentence, padding, and what it cannot write.
struct Vocabulary {
  int32_t size = 0;
  std::optional<int32_t> bos, eos, pad, unk;

  bool operator==(const Vocabulary&) const = default;
};

/// The id of BOS, of EOS. Throw ConfigError where the tokenizer has none; `needed_by` says in the
/// message who needs it: "the encoder".
int32_t bos_of(const Vocabulary& vocabulary, const std::string& needed_by);
int32_t eos_of(const Vocabulary& vocabulary, const std::string& needed_by);

/// What a decoder reads before a sentence: BOS or, without one, EOS. Throws ConfigError where the
/// tokenizer has neither.
int32_t start_of(const Vocabulary& vocabulary);

/// What decoding never chooses, in ascending order: padding and BOS, unless they are EOS too.
std::vector<int32_t> never_chosen(const Vocabulary& vocabulary);

}  // namespace lvtext
