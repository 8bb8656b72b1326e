// The generator SplitMix64, whose streams define generated data sets and captions of reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lvtext {

/// The independent streams of a record.
enum class RandomStream : uint64_t { kScene = 1, kPixelNoise = 2, kCaptions = 3, kSplits = 4 };

/// SplitMix64 (Steele, Lea and Flood 2014): equal states give equal numbers on every machine.
class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t state) : state_(state) {}
  /// A stream of record `index` under a seed.
  SplitMix64(uint64_t seed, uint64_t index, RandomStream stream);

  /// The next 64 bits.
  uint64_t next();
  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform();
  /// Uniform in [from, to).
  double uniform(double from, double to) { return from + (to - from) * uniform(); }
  /// Uniform in 0..n-1; `n` is at least 1.
  size_t below(size_t n);
  /// Permutes the values uniformly (Fisher and Yates, from the end).
  template <class T>
  void permute(std::vector<T>& values) {
    for (size_t i = values.size(); i-- > 1;) std::swap(values[i], values[below(i + 1)]);
  }

 private:
  uint64_t state_;
};

}  // namespace lvtext
