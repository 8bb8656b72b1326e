// How much an evaluator can be told to take.
#pragma once

#include <cstdint>

namespace lvtext {

/// Samples of a model.
constexpr int64_t kMostSamples = 10000000;
/// Sentences that are scored or encoded together.
constexpr int64_t kMostTogether = 65536;

}  // namespace lvtext
