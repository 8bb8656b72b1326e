// Sentences as ids, and the ids that every tokenizer has at the same place: encoding text never
// yields them, except kUnk for characters that the model does not know.
#pragma once

#include <cstdint>
#include <vector>

namespace lvtext {

/// A tokenised sentence without marks; ids of pieces, words, or any interning.
using TokenIds = std::vector<int32_t>;

inline constexpr int32_t kPad = 0;
inline constexpr int32_t kBos = 1;
inline constexpr int32_t kEos = 2;
inline constexpr int32_t kUnk = 3;

}  // namespace lvtext
