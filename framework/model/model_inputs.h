// What surrounds a model when it is built.
#pragma once

#include <cstdint>

namespace lvtext {

struct ModelInputs {
  int64_t vocabulary = 0;  ///< pieces, the four special ones included
  uint64_t seed = 0;       ///< of the initial parameters
};

}  // namespace lvtext
