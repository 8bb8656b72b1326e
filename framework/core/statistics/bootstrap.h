// The bootstrap over sentences (Efron 1979; for BLEU and paired systems Koehn 2004).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "framework/core/statistics/statistics.h"

namespace lvtext {

/// Resample r draws its n sentences by a counter-based generator that depends only on (seed, r,
/// position, n): independent of threads, with the same sentences for all systems and metrics over n
/// sentences.
struct BootstrapOptions {
  int resamples = 1000;
  uint64_t seed = 1111;
  double level = 0.95;
  /// 0: one per processor.
  int threads = 0;
};

/// The sentence in 0..n-1 at `position` of resample `resample`; uniform. Public so that other
/// statistics can use the same resamples.
uint64_t bootstrap_draw(uint64_t seed, uint64_t resample, uint64_t position, uint64_t n);

/// A number computed from a sum of per-sentence rows.
using Functional = std::function<double(std::span<const double>)>;

/// The functional of the summed rows of each resample. `rows` is row-major [n, width]; the
/// functional is called from several threads. Empty if there are no rows.
std::vector<double> bootstrap_sums(std::span<const double> rows, size_t width,
                                   const Functional& functional,
                                   const BootstrapOptions& options = {});
/// The mean of each resample.
std::vector<double> bootstrap_means(std::span<const double> values,
                                    const BootstrapOptions& options = {});

/// The percentile interval of a mean; NaN without values.
Interval bootstrap_mean_interval(std::span<const double> values,
                                 const BootstrapOptions& options = {});

}  // namespace lvtext
