// Upper limits of evaluator options.
#pragma once

#include <cstdint>

namespace lvtext {

/// Maximum number of samples of a model.
constexpr int64_t kMostSamples = 10000000;
/// Maximum number of sentences scored or encoded together.
constexpr int64_t kMostTogether = 65536;

}  // namespace lvtext
