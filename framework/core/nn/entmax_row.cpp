#include "framework/core/nn/entmax_row.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/core/nn/compaction.h"
#include "framework/core/nn/vector_math.h"

namespace lvtext {
namespace {

constexpr int64_t kBlock = 64;   // scores whose maximum decides whether they are looked at again
constexpr int64_t kChunk = 256;  // candidates whose powers are computed together, in the cache
constexpr int kMaxPower = 10;    // integer exponents up to this one are products: alpha >= 1.1
constexpr int kMaxSteps = 64;
constexpr double kRough = 0.05;  // Newton's method for the bound stops below this excess

/// Newton's method keeps each sum of a chunk as this many partial sums, one vector of the widest
/// processors. In a single float32 sum, equal terms would add the same rounding error again and
/// again.
template <typename T>
constexpr int64_t kPartialSums = 64 / sizeof(T);
static_assert(kBlock % kPartialSums<float> == 0 && kChunk % kBlock == 0);

/// The number of blocks that hold `count` scores.
constexpr int64_t blocks_of(int64_t count) {
  return (count + kBlock - 1) / kBlock;
}

/// Sums over candidates, padded to whole blocks, with w = max(0, 1 + slope (x - shift)).
// Without default values, for which clang 16 emits no constructor in functions with variants.
struct Sums {
  double below;  ///< w^(q - 1)
  double at;     ///< w^q
};

/// Maxima of the blocks of `x`; the last block may be short. Returns false if there is a NaN.
template <typename T>
LVT_INLINE bool find_maxima(const T* x, int64_t count, T* maxima) {
  constexpr int64_t kLanes = 16;
  int64_t block = 0;
  int32_t invalid[kLanes] = {};
  for (; (block + 1) * kBlock <= count; ++block) {
    const T* from = x + block * kBlock;
    T best[kLanes];
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      best[lane] = from[lane];
      invalid[lane] |= std::isnan(from[lane]) ? 1 : 0;
    }
    for (int64_t k = kLanes; k < kBlock; k += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        best[lane] = from[k + lane] > best[lane] ? from[k + lane] : best[lane];
        invalid[lane] |= std::isnan(from[k + lane]) ? 1 : 0;
      }
    }
    for (int64_t width = kLanes / 2; width > 0; width /= 2) {
      for (int64_t lane = 0; lane < width; ++lane) {
        best[lane] = best[lane + width] > best[lane] ? best[lane + width] : best[lane];
      }
    }
    maxima[block] = best[0];
  }
  if (block * kBlock < count) {
    maxima[block] = *std::max_element(x + block * kBlock, x + count);
    for (int64_t k = block * kBlock; k < count; ++k) invalid[0] |= std::isnan(x[k]) ? 1 : 0;
  }
  return std::find(invalid, invalid + kLanes, 1) == invalid + kLanes;
}

LVT_WIDEST bool block_maxima(const float* x, int64_t count, float* maxima) {
  return find_maxima(x, count, maxima);
}
bool block_maxima(const double* x, int64_t count, double* maxima) {
  return find_maxima(x, count, maxima);
}

/// The total of a power of two of partial sums, which are overwritten.
template <typename T, size_t kCount>
LVT_INLINE T total_of(T (&sums)[kCount]) {
  for (size_t width = kCount / 2; width > 0; width /= 2) {
    for (size_t lane = 0; lane < width; ++lane) sums[lane] += sums[lane + width];
  }
  return sums[0];
}

/// x^kPower by repeated squaring.
template <int kPower, typename T>
LVT_INLINE T power_of(T x) {
  if constexpr (kPower == 0) {
    return T{1};
  } else {
    const T half = power_of<kPower / 2>(x);
    return kPower % 2 == 0 ? half * half : half * half * x;
  }
}

/// The sums for an exponent q = `power` from 1 to kPower. The power is a constant of the loop, so
/// that its products stay in registers.
template <int kPower, typename T>
LVT_INLINE Sums sums_of_powers(const T* x, int64_t count, T shift, T slope, int power) {
  if constexpr (kPower > 1) {
    if (power < kPower) return sums_of_powers<kPower - 1>(x, count, shift, slope, power);
  }
  Sums sums{};
  for (int64_t from = 0; from < count; from += kChunk) {
    const int64_t to = std::min(count, from + kChunk);
    T low[kPartialSums<T>] = {}, high[kPartialSums<T>] = {};
    for (int64_t k = from; k < to; k += kPartialSums<T>) {
#pragma omp simd
      for (int64_t lane = 0; lane < kPartialSums<T>; ++lane) {
        const T value = T{1} + slope * (x[k + lane] - shift);
        const T w = value > 0 ? value : T{0};
        const T below = kPower == 1 && !(value > 0) ? T{0} : power_of<kPower - 1>(w);
        low[lane] += below;
        high[lane] += below * w;
      }
    }
    sums.below += total_of(low);
    sums.at += total_of(high);
  }
  return sums;
}

LVT_WIDEST Sums power_sums(const float* x, int64_t count, float shift, float slope, int power) {
  return sums_of_powers<kMaxPower>(x, count, shift, slope, power);
}
Sums power_sums(const double* x, int64_t count, double shift, double slope, int power) {
  return sums_of_powers<kMaxPower>(x, count, shift, slope, power);
}

/// The sums for any exponent q: w^(q - 1) = exp((q - 1) log(1 + slope (x - shift))).
LVT_WIDEST Sums exponent_sums(const float* x, int64_t count, float shift, float slope,
                              float exponent) {
  Sums sums{};
  for (int64_t from = 0; from < count; from += kChunk) {
    const int64_t to = std::min(count, from + kChunk);
    float low[kPartialSums<float>] = {}, high[kPartialSums<float>] = {};
    for (int64_t k = from; k < to; k += kPartialSums<float>) {
#pragma omp simd
      for (int64_t lane = 0; lane < kPartialSums<float>; ++lane) {
        const float t = slope * (x[k + lane] - shift);
        const bool inside = t > -1.0f;
        const float logarithm = vector_math::log1p(inside ? t : 0.0f);
        const float below = inside ? vector_math::exp((exponent - 1.0f) * logarithm) : 0.0f;
        low[lane] += below;
        high[lane] += below * (1.0f + t);
      }
    }
    sums.below += total_of(low);
    sums.at += total_of(high);
  }
  return sums;
}

Sums exponent_sums(const double* x, int64_t count, double shift, double slope, double exponent) {
  Sums sums{};
  for (int64_t k = 0; k < count; ++k) {
    const double t = slope * (x[k] - shift);
    if (t <= -1) continue;
    const double below = std::exp((exponent - 1) * std::log1p(t));
    sums.below += below;
    sums.at += below * (1 + t);
  }
  return sums;
}

/// Sums of the values v = w^q of all candidates.
struct Totals {
  double sum, weighted, squares;  ///< sums of v, v w, v^2
};

template <int kPower, typename T>
LVT_INLINE Totals values_of_powers(const T* x, int64_t count, double shift, double slope, int power,
                                   T* values) {
  if constexpr (kPower > 1) {
    if (power < kPower) return values_of_powers<kPower - 1>(x, count, shift, slope, power, values);
  }
  double sum = 0, weighted = 0, squares = 0;
#pragma omp simd reduction(+ : sum, weighted, squares)
  for (int64_t k = 0; k < count; ++k) {
    const double value = 1 + slope * (static_cast<double>(x[k]) - shift);
    const double w = value > 0 ? value : 0, p = power_of<kPower>(w);
    sum += p;
    weighted += p * w;
    squares += p * p;
    values[k] = static_cast<T>(p);
  }
  return {sum, weighted, squares};
}

LVT_WIDEST Totals power_values(const float* x, int64_t count, double shift, double slope, int power,
                               float* values) {
  return values_of_powers<kMaxPower>(x, count, shift, slope, power, values);
}
Totals power_values(const double* x, int64_t count, double shift, double slope, int power,
                    double* values) {
  return values_of_powers<kMaxPower>(x, count, shift, slope, power, values);
}

LVT_WIDEST Totals exponent_values(const float* x, int64_t count, double shift, double slope,
                                  float exponent, float* values) {
  Totals totals{};
  for (int64_t from = 0; from < count; from += kChunk) {
    const int64_t to = std::min(count, from + kChunk);
    double sum = 0, weighted = 0, squares = 0;
#pragma omp simd reduction(+ : sum, weighted, squares)
    for (int64_t k = from; k < to; ++k) {
      const float t = static_cast<float>(slope * (static_cast<double>(x[k]) - shift));
      const bool inside = t > -1.0f;
      const float logarithm = vector_math::log1p(inside ? t : 0.0f);
      const float p = inside ? vector_math::exp(exponent * logarithm) : 0.0f;
      sum += p;
      weighted += static_cast<double>(p) * (1.0f + t);
      squares += static_cast<double>(p) * p;
      values[k] = p;
    }
    totals.sum += sum;
    totals.weighted += weighted;
    totals.squares += squares;
  }
  return totals;
}
Totals exponent_values(const double* x, int64_t count, double shift, double slope, double exponent,
                       double* values) {
  Totals totals{};
  for (int64_t k = 0; k < count; ++k) {
    const double t = slope * (x[k] - shift);
    const double p = t > -1 ? std::exp(exponent * std::log1p(t)) : 0;
    totals.sum += p;
    totals.weighted += p * (1 + t);
    totals.squares += p * p;
    values[k] = p;
  }
  return totals;
}

/// w^q for q < 1, whose derivative is unbounded at w = 0: always in double precision.
double steep_power(double x, double slope, double exponent) {
  const double w = 1 + slope * x;
  return w > 0 ? std::pow(w, exponent) : 0;
}

template <typename T>
Totals steep_values(const T* x, int64_t count, double shift, double slope, double exponent,
                    T* values) {
  Totals totals{};
  for (int64_t k = 0; k < count; ++k) {
    const double v = steep_power(x[k] - shift, slope, exponent);
    totals.sum += v;
    totals.weighted += v * (1 + slope * (x[k] - shift));
    totals.squares += v * v;
    values[k] = static_cast<T>(v);
  }
  return totals;
}

}  // namespace

template <typename T>
EntmaxRow<T>::EntmaxRow(double alpha, int64_t vocabulary)
    : alpha_(alpha),
      slope_(alpha - 1),
      exponent_(1 / (alpha - 1)),
      maxima_(blocks_of(vocabulary)),
      scores_(vocabulary + kBlock),
      positions_(vocabulary + kBlock),
      values_(vocabulary + kBlock) {
  const double nearest = std::round(exponent_);
  if (std::abs(exponent_ - nearest) < 1e-9 * exponent_ && nearest <= kMaxPower) {
    power_ = static_cast<int>(nearest);
    exponent_ = nearest;
    slope_ = 1 / nearest;
  }
}

/// Keeps the scores that can be in the support: those less than 1 / (alpha - 1) below c, which is
/// at least the maximum plus `least`.
template <typename T>
void EntmaxRow<T>::select(const T* scores, int64_t count, T maximum, double least) {
  // Compared after the subtraction: the maximum minus the limit may round to the maximum.
  const T limit = static_cast<T>(least - exponent_);
  const int64_t blocks = blocks_of(count);
  const auto passes = [&](int64_t block) { return maxima_[block] - maximum > limit; };
  candidates_ = 0;
  for (int64_t block = 0, end = 0; block < blocks; block = end) {
    for (end = block + 1; end < blocks && passes(end) == passes(block);) ++end;
    if (!passes(block)) continue;
    const int64_t from = block * kBlock;
    candidates_ += copy_above(scores + from, std::min(end * kBlock, count) - from, maximum, limit,
                              from, scores_.data() + candidates_, positions_.data() + candidates_);
  }
  pad();
}

/// A lower bound of the threshold, less the maximum: that of the maxima of blocks alone, not solved
/// to the end. It is a bound because every further score increases the sum that has to be 1.
template <typename T>
double EntmaxRow<T>::threshold_of_maxima(int64_t blocks, T maximum) {
  const T lowest = static_cast<T>(-2 * exponent_);  // finite in masked blocks, as in pad()
  for (int64_t block = 0; block < blocks; ++block) {
    scores_[block] = std::max(maxima_[block] - maximum, lowest);
  }
  candidates_ = blocks;
  pad();
  return newton(0, kRough);
}

/// The number of candidates rounded up to whole blocks.
template <typename T>
int64_t EntmaxRow<T>::padded() const {
  return blocks_of(candidates_) * kBlock;
}

/// Fills the last block of candidates with scores that are in no support; finite, because they are
/// multiplied by 0.
template <typename T>
void EntmaxRow<T>::pad() {
  std::fill(scores_.begin() + candidates_, scores_.begin() + padded(),
            static_cast<T>(-2 * exponent_));
}

/// Newton's method on the q-norm of w minus 1, a convex decreasing function of the threshold for
/// alpha <= 2: from `shift`, on the left, it increases monotonically and never overshoots.
template <typename T>
double EntmaxRow<T>::newton(double shift, double tolerance) {
  for (int step = 0; step < kMaxSteps; ++step) {
    const T at = static_cast<T>(shift), slope = static_cast<T>(slope_);
    const Sums sums =
        power_ > 0 ? power_sums(scores_.data(), padded(), at, slope, power_)
                   : exponent_sums(scores_.data(), padded(), at, slope, static_cast<T>(exponent_));
    const double excess = std::expm1(std::log(sums.at) / exponent_);
    const double norm_ratio = sums.at / (1 + excess);  // S^(1 - 1/q)
    const double next = shift + excess * norm_ratio / (sums.below * slope_);
    if (excess < tolerance || !(next > shift)) break;
    shift = next;
  }
  return shift;
}

/// For alpha > 2, where the norm is not convex: between the bounds of c, in double precision.
template <typename T>
double EntmaxRow<T>::bisection() {
  double low = 0, high = (1 - std::pow(static_cast<double>(candidates_), -slope_)) / slope_;
  for (int step = 0; step < 100; ++step) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    double sum = 0;
    for (int64_t k = 0; k < candidates_; ++k) {
      sum += steep_power(scores_[k] - middle, slope_, exponent_);
    }
    (sum >= 1 ? low : high) = middle;
  }
  return low;
}

template <typename T>
void EntmaxRow<T>::finish(double shift, EntmaxSolution& solution) {
  const T* x = scores_.data();
  T* v = values_.data();
  const Totals totals =
      power_ > 0    ? power_values(x, padded(), shift, slope_, power_, v)
      : slope_ <= 1 ? exponent_values(x, padded(), shift, slope_, static_cast<T>(exponent_), v)
                    : steep_values(x, candidates_, shift, slope_, exponent_, v);
  // Membership is decided by the threshold, not by p, which underflows for small alpha.
  solution.support =
      keep_support(x, candidates_, shift, slope_, 1 / totals.sum, v, positions_.data());
  solution.power_sum = totals.weighted;
  solution.squares = totals.squares / (totals.sum * totals.sum);
}

template <typename T>
EntmaxSolution EntmaxRow<T>::solve(const T* scores, int64_t count) {
  const bool ordered = block_maxima(scores, count, maxima_.data());
  const int64_t blocks = blocks_of(count);
  const T maximum = *std::max_element(maxima_.begin(), maxima_.begin() + blocks);
  if (!ordered || !std::isfinite(maximum)) return solve_not_finite(scores, count, ordered);
  EntmaxSolution solution;
  const bool convex = slope_ <= 1;
  // Scores of a model that was trained with entmax are so close that thousands are within
  // 1 / (alpha - 1) of the maximum; the threshold of the largest ones excludes many of them.
  const double least = convex ? threshold_of_maxima(blocks, maximum) : 0;
  select(scores, count, maximum, least);
  // For alpha near 1, where the norm's exponent is small, an error of c changes the norm little.
  const double tolerance = (sizeof(T) == sizeof(float) ? 2e-7 : 1e-15) * std::min(1.0, 10 * slope_);
  const double shift = convex ? newton(least, tolerance) : bisection();
  solution.threshold = maximum + shift;
  finish(shift, solution);
  return solution;
}

template <typename T>
EntmaxSolution EntmaxRow<T>::solve_not_finite(const T* scores, int64_t count, bool ordered) {
  const T infinity = std::numeric_limits<T>::infinity();
  const T* end = scores + count;
  const T* found = std::find(scores, end, infinity);
  const bool one_hot = ordered && found != end && std::find(found + 1, end, infinity) == end;
  const T value = one_hot ? T{1} : std::numeric_limits<T>::quiet_NaN();
  positions_[0] = one_hot ? static_cast<int32_t>(found - scores) : 0;
  values_[0] = value;
  return {infinity * value, value, value, 1};
}

template <typename T>
double EntmaxRow<T>::loss(const EntmaxSolution& solution, T score) const {
  if (static_cast<double>(score) == solution.threshold && !std::isfinite(score)) return 0;
  return solution.threshold - score - (1 - solution.power_sum) / alpha_;
}

template class EntmaxRow<float>;
template class EntmaxRow<double>;

}  // namespace lvtext
