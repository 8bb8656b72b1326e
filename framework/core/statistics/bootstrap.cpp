#include "framework/core/statistics/bootstrap.h"

#include "framework/core/base/error.h"
#include "framework/core/base/parallel.h"

namespace lvtext {
namespace {

// The finalizer of SplitMix64 (Steele, Lea and Flood 2014): a bijection that mixes all bits.
uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

// The counter stream of a resample.
uint64_t stream_of(uint64_t seed, uint64_t resample, uint64_t n) {
  return mix(mix(mix(seed) ^ resample) ^ n);
}

__extension__ using Uint128 = unsigned __int128;  // extension of GCC and Clang

// Uniform in 0..n-1; the bias of the multiplication, n / 2^64, is negligible.
uint64_t draw(uint64_t stream, uint64_t position, uint64_t n) {
  return static_cast<uint64_t>((static_cast<Uint128>(mix(stream + position)) * n) >> 64);
}

}  // namespace

uint64_t bootstrap_draw(uint64_t seed, uint64_t resample, uint64_t position, uint64_t n) {
  return draw(stream_of(seed, resample, n), position, n);
}

std::vector<double> bootstrap_sums(std::span<const double> rows, size_t width,
                                   const Functional& functional, const BootstrapOptions& options) {
  LVT_ASSERT(width > 0 && rows.size() % width == 0,
             "the number of values is not a multiple of the width");
  const size_t n = rows.size() / width;
  if (n == 0) return {};
  std::vector<double> results(static_cast<size_t>(options.resamples));
  parallel_for(results.size(), options.threads, [&](size_t r) {
    const uint64_t stream = stream_of(options.seed, r, n);
    std::vector<double> sum(width, 0.0);
    for (size_t position = 0; position < n; ++position) {
      const double* row = rows.data() + draw(stream, position, n) * width;
      for (size_t i = 0; i < width; ++i) sum[i] += row[i];
    }
    results[r] = functional(sum);
  });
  return results;
}

std::vector<double> bootstrap_means(std::span<const double> values,
                                    const BootstrapOptions& options) {
  const auto n = static_cast<double>(values.size());
  return bootstrap_sums(
      values, 1, [n](std::span<const double> sum) { return sum[0] / n; }, options);
}

Interval bootstrap_mean_interval(std::span<const double> values, const BootstrapOptions& options) {
  return percentile_interval(bootstrap_means(values, options), options.level);
}

}  // namespace lvtext
