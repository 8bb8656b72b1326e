// Precision of inference with a trained model.
#pragma once

#include "framework/core/options/precision.h"
#include "framework/core/tensor/compute_mode.h"
#include "framework/core/tensor/products.h"

namespace lvtext {

/// RAII scope in which matrix products of this thread are computed in `precision`, on every device.
/// Parameters must not change within the scope.
class PrecisionScope {
 public:
  explicit PrecisionScope(Precision precision)
      : mode_(precision == Precision::kTf32, /*deterministic=*/false),
        mixed_(precision == Precision::kBf16) {}

 private:
  ComputeMode mode_;
  MixedPrecisionScope mixed_;
};

}  // namespace lvtext
