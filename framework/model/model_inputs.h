// What surrounds a model when it is built.
#pragma once

#include <cstdint>

namespace lvtext {

struct ModelInputs {
  int64_t vocabulary = 0;  ///< pieces or words, the four special ones included
  uint64_t seed = 0;       ///< of the initial parameters
  int64_t classes = 0;     ///< values of the label field of its batches; 0 without one
};

}  // namespace lvtext
