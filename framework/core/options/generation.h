// Options of text generation.
#pragma once

#include <cstdint>

#include "framework/core/options/options.h"
#include "framework/core/options/precision.h"

namespace lvtext {

/// Maximum of max_length, in tokens.
constexpr int64_t kMaxGeneratedLength = 100000;

/// Decoding options of `generation`.
struct GenerationOptions {
  int64_t max_length = 60;
  Precision precision = Precision::kFp32;

  template <class V>
  void visit(V& v) {
    v.field("max_length", max_length, "maximum number of tokens of samples and reconstructions",
            in_range(1, kMaxGeneratedLength));
    v.field(
        "precision", precision,
        "precision of the matrix products that generate samples and reconstructions; scores are "
        "always computed in fp32");
  }
};

}  // namespace lvtext
