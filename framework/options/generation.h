// How text is generated for a table.
#pragma once

#include <cstdint>

#include "framework/options/options.h"

namespace lvtext {

/// The recipe's `generation` block.
struct GenerationOptions {
  int64_t max_length = 60;

  template <class V>
  void visit(V& v) {
    v.field("max_length", max_length, "samples and reconstructions are cut after so many pieces",
            at_least(1));
  }
};

}  // namespace lvtext
