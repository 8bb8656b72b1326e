// Sentences as ids.
#pragma once

#include <cstdint>
#include <vector>

namespace lvtext {

/// A tokenized sentence without BOS and EOS; ids of subwords, words, or any interning.
using TokenIds = std::vector<int32_t>;

}  // namespace lvtext
