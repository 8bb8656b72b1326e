// Upper limits of evaluator options.
#pragma once

#include <cstdint>

namespace lvtext {

/// Maximum number of samples of a model.
constexpr int64_t kMaxSamples = 10000000;
/// Maximum number of sentences scored or encoded together.
constexpr int64_t kMaxTogether = 65536;

}  // namespace lvtext
