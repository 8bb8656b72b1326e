// Intervals of probabilities.
#pragma once

#include "framework/core/statistics/statistics.h"

namespace lvtext {

/// Interval of a probability after `successes` of `n` >= 1 independent trials (Wilson 1927), 95 %:
/// (p + z^2 / 2n -+ z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n), p = successes / n, z =
/// 1.959964.
Interval wilson_interval(double successes, double n);

}  // namespace lvtext
