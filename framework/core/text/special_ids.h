// Special token ids of SentencePiece and Words. Other code must use the Vocabulary of a tokenizer.
#pragma once

#include <cstdint>

namespace lvtext {

inline constexpr int32_t kPad = 0;
inline constexpr int32_t kBos = 1;
inline constexpr int32_t kEos = 2;
inline constexpr int32_t kUnk = 3;

}  // namespace lvtext
