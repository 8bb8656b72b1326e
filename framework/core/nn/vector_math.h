// exp, log, tanh and the logistic function without branches and library calls, so that compilers
// can vectorize loops over them.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace lvtext::vector_math {

#define LVT_INLINE inline __attribute__((always_inline))

// The loader selects the widest variant that the processor supports, so one build runs on every
// x86-64 machine. Templates cannot have variants. The name of a function with variants must be
// unique in the program even in an unnamed namespace, because its resolver is a weak symbol. None
// under clang's thread sanitizer: the selection runs before the sanitizer has started, and would
// crash.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LVT_WIDEST
#endif
#endif
#if defined(LVT_WIDEST)
#elif defined(__x86_64__)
#define LVT_WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define LVT_WIDEST
#endif

/// e^x with relative error below 2e-7 (Cephes' polynomial); 0 below -87, and at most 2.4e38 above
/// 88.
LVT_INLINE float exp(float x) {
  const float clamped = x < -87.0f ? -87.0f : (x > 88.3f ? 88.3f : x);
  // Adding 1.5 * 2^23 rounds to the nearest integer in the low bits of the sum.
  const float shifted = clamped * 1.44269504088896341f + 12582912.0f;
  const float n = shifted - 12582912.0f;
  const float r = (clamped - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const int32_t exponent = std::bit_cast<int32_t>(shifted) << 23;
  const float value = std::bit_cast<float>(std::bit_cast<int32_t>(p) + exponent);
  return x < -87.0f ? 0.0f : value;
}

/// Natural logarithm of a positive normal number with a relative error of a few units in the last
/// place (Cephes' polynomial).
LVT_INLINE float log(float x) {
  // x = m 2^e with m in [sqrt(1/2), sqrt(2)).
  const int32_t shifted = std::bit_cast<int32_t>(x) - 0x3f3504f3;
  const int32_t exponent = shifted >> 23;
  const float m = std::bit_cast<float>((shifted & 0x007fffff) + 0x3f3504f3) - 1.0f;
  float p = 7.0376836292e-2f;
  p = p * m - 1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m - 1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m - 1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m - 2.4999993993e-1f;
  p = p * m + 3.3333331174e-1f;
  const float square = m * m, e = static_cast<float>(exponent);
  return m + (p * m * square + e * -2.12194440e-4f - 0.5f * square) + e * 0.693359375f;
}

/// log(1 + x) for x > -1 with a small relative error also near 0 (Kahan's correction of the
/// rounding of 1 + x).
LVT_INLINE float log1p(float x) {
  const float sum = 1.0f + x, rounded = sum - 1.0f;
  const float value = vector_math::log(sum) * (x / (rounded == 0.0f ? 1.0f : rounded));
  return rounded == 0.0f ? x : value;
}

/// tanh with an error of a few units in the last place (Eigen's rational approximation).
LVT_INLINE float tanh(float x) {
  const float c = x < -7.90531110763549805f ? -7.90531110763549805f
                                            : (x > 7.90531110763549805f ? 7.90531110763549805f : x);
  const float s = c * c;
  float p = -2.76076847742355e-16f;
  p = p * s + 2.00018790482477e-13f;
  p = p * s - 8.60467152213735e-11f;
  p = p * s + 5.12229709037114e-08f;
  p = p * s + 1.48572235717979e-05f;
  p = p * s + 6.37261928875436e-04f;
  p = p * s + 4.89352455891786e-03f;
  float q = 1.19825839466702e-06f;
  q = q * s + 1.18534705686654e-04f;
  q = q * s + 2.26843463243900e-03f;
  q = q * s + 4.89352518554385e-03f;
  return c * p / q;
}

/// 1 / (1 + e^-x).
LVT_INLINE float sigmoid(float x) {
  return 1.0f / (1.0f + vector_math::exp(-x));
}

// float64 is used for checks, where speed does not matter; these call the standard library.
LVT_INLINE double exp(double x) {
  return std::exp(x);
}
LVT_INLINE double log1p(double x) {
  return std::log1p(x);
}
LVT_INLINE double tanh(double x) {
  return std::tanh(x);
}
LVT_INLINE double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

}  // namespace lvtext::vector_math
