#include "framework/core/statistics/proportion.h"

#include <cmath>

namespace lvtext {

Interval wilson_interval(double successes, double n) {
  constexpr double kZ = 1.959963984540054;
  const double p = successes / n, z2 = kZ * kZ / n;
  const double half = kZ * std::sqrt(p * (1 - p) / n + z2 / (4 * n));
  return {(p + z2 / 2 - half) / (1 + z2), (p + z2 / 2 + half) / (1 + z2)};
}

}  // namespace lvtext
