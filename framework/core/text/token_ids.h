// Token ids of a sentence.
#pragma once

#include <cstdint>
#include <vector>

namespace lvtext {

/// A tokenized sentence without BOS and EOS: ids of subwords, words or interned strings.
using TokenIds = std::vector<int32_t>;

}  // namespace lvtext
