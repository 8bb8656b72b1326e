// The ids of a tokenizer.
#pragma once

#include <cstdint>
#include <optional>

namespace lvtext {

/// Ids are in [0, size). Those that stand for no text are named where a tokenizer has them: begin
/// and end of a sentence, padding, and what it cannot write.
struct Vocabulary {
  int32_t size = 0;
  std::optional<int32_t> bos, eos, pad, unk;

  bool operator==(const Vocabulary&) const = default;
};

}  // namespace lvtext
