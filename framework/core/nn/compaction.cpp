#include "framework/core/nn/compaction.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lvtext {
namespace {

template <typename T>
int64_t copy_above_from(const T* row, int64_t from, int64_t kept, int64_t count, T maximum, T limit,
                        int64_t first, T* scores, int32_t* positions) {
  for (int64_t k = from; k < count; ++k) {
    const T score = row[k] - maximum;
    scores[kept] = score;
    positions[kept] = static_cast<int32_t>(first + k);
    kept += score > limit ? 1 : 0;
  }
  return kept;
}

template <typename T>
int64_t keep_support_from(const T* scores, int64_t from, int64_t kept, int64_t count, double shift,
                          double slope, double factor, T* values, int32_t* positions) {
  for (int64_t k = from; k < count; ++k) {
    values[kept] = static_cast<T>(values[k] * factor);
    positions[kept] = positions[k];
    kept += 1 + slope * (scores[k] - shift) > 0 ? 1 : 0;
  }
  return kept;
}

template <typename T>
int64_t copy_nonzero_from(const T* row, int64_t from, int64_t kept, int64_t count, T* values,
                          int32_t* positions) {
  for (int64_t k = from; k < count; ++k) {
    if (row[k] == 0) continue;
    values[kept] = row[k];
    positions[kept++] = static_cast<int32_t>(k);
  }
  return kept;
}

#if defined(__x86_64__)
// Compilers do not vectorize compaction. Kept elements are packed in a register and stored by a
// mask, because the instruction that packs while it stores is slow on AMD's processors.
constexpr int64_t kLanes = 16;

bool has_avx512() {
  static const bool has = __builtin_cpu_supports("avx512f") != 0;
  return has;
}

__attribute__((target("avx512f"))) int64_t copy_above_avx512(const float* row, int64_t count,
                                                             float maximum, float limit,
                                                             int64_t first, float* scores,
                                                             int32_t* positions) {
  const __m512 maxima = _mm512_set1_ps(maximum), limits = _mm512_set1_ps(limit);
  __m512i position =
      _mm512_add_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                       _mm512_set1_epi32(static_cast<int32_t>(first)));
  int64_t k = 0, kept = 0;
  for (; k + kLanes <= count; k += kLanes) {
    const __m512 score = _mm512_sub_ps(_mm512_loadu_ps(row + k), maxima);
    const __mmask16 mask = _mm512_cmp_ps_mask(score, limits, _CMP_GT_OQ);
    const int64_t found = __builtin_popcount(mask);
    const auto packed = static_cast<__mmask16>((1U << found) - 1);
    _mm512_mask_storeu_ps(scores + kept, packed, _mm512_maskz_compress_ps(mask, score));
    _mm512_mask_storeu_epi32(positions + kept, packed, _mm512_maskz_compress_epi32(mask, position));
    kept += found;
    position = _mm512_add_epi32(position, _mm512_set1_epi32(kLanes));
  }
  return copy_above_from(row, k, kept, count, maximum, limit, first, scores, positions);
}

__attribute__((target("avx512f"))) int64_t keep_support_avx512(const float* scores, int64_t count,
                                                               double shift, double slope,
                                                               double factor, float* values,
                                                               int32_t* positions) {
  const __m512d shifts = _mm512_set1_pd(shift), slopes = _mm512_set1_pd(slope),
                factors = _mm512_set1_pd(factor), one = _mm512_set1_pd(1), zero = _mm512_set1_pd(0);
  int64_t k = 0, kept = 0;
  for (; k + kLanes <= count; k += kLanes) {
    __m256 scaled[2];
    uint32_t mask = 0;
    for (int half = 0; half < 2; ++half) {
      const int64_t at = k + 8 * half;
      const __m512d x = _mm512_cvtps_pd(_mm256_loadu_ps(scores + at));
      const __m512d w = _mm512_add_pd(one, _mm512_mul_pd(slopes, _mm512_sub_pd(x, shifts)));
      mask |= static_cast<uint32_t>(_mm512_cmp_pd_mask(w, zero, _CMP_GT_OQ)) << (8 * half);
      const __m512d v = _mm512_cvtps_pd(_mm256_loadu_ps(values + at));
      scaled[half] = _mm512_cvtpd_ps(_mm512_mul_pd(v, factors));
    }
    const __m512 value = _mm512_castpd_ps(_mm512_insertf64x4(
        _mm512_castpd256_pd512(_mm256_castps_pd(scaled[0])), _mm256_castps_pd(scaled[1]), 1));
    const __m512i position = _mm512_loadu_si512(positions + k);
    const auto chosen = static_cast<__mmask16>(mask);
    const int64_t found = __builtin_popcount(mask);
    const auto first = static_cast<__mmask16>((1U << found) - 1);
    _mm512_mask_storeu_ps(values + kept, first, _mm512_maskz_compress_ps(chosen, value));
    _mm512_mask_storeu_epi32(positions + kept, first,
                             _mm512_maskz_compress_epi32(chosen, position));
    kept += found;
  }
  return keep_support_from(scores, k, kept, count, shift, slope, factor, values, positions);
}

__attribute__((target("avx512f"))) int64_t copy_nonzero_avx512(const float* row, int64_t count,
                                                               float* values, int32_t* positions) {
  __m512i position = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  int64_t k = 0, kept = 0;
  for (; k + kLanes <= count; k += kLanes) {
    const __m512 value = _mm512_loadu_ps(row + k);
    const __mmask16 mask = _mm512_cmp_ps_mask(value, _mm512_setzero_ps(), _CMP_NEQ_UQ);
    const int64_t found = __builtin_popcount(mask);
    const auto first = static_cast<__mmask16>((1U << found) - 1);
    _mm512_mask_storeu_ps(values + kept, first, _mm512_maskz_compress_ps(mask, value));
    _mm512_mask_storeu_epi32(positions + kept, first, _mm512_maskz_compress_epi32(mask, position));
    kept += found;
    position = _mm512_add_epi32(position, _mm512_set1_epi32(kLanes));
  }
  return copy_nonzero_from(row, k, kept, count, values, positions);
}
#else
bool has_avx512() {
  return false;
}
int64_t copy_above_avx512(const float*, int64_t, float, float, int64_t, float*, int32_t*) {
  return 0;
}
int64_t keep_support_avx512(const float*, int64_t, double, double, double, float*, int32_t*) {
  return 0;
}
int64_t copy_nonzero_avx512(const float*, int64_t, float*, int32_t*) {
  return 0;
}
#endif

}  // namespace

int64_t copy_above(const float* row, int64_t count, float maximum, float limit, int64_t first,
                   float* scores, int32_t* positions) {
  if (has_avx512()) return copy_above_avx512(row, count, maximum, limit, first, scores, positions);
  return copy_above_from(row, 0, 0, count, maximum, limit, first, scores, positions);
}

int64_t copy_above(const double* row, int64_t count, double maximum, double limit, int64_t first,
                   double* scores, int32_t* positions) {
  return copy_above_from(row, 0, 0, count, maximum, limit, first, scores, positions);
}

int64_t keep_support(const float* scores, int64_t count, double shift, double slope, double factor,
                     float* values, int32_t* positions) {
  if (has_avx512()) {
    return keep_support_avx512(scores, count, shift, slope, factor, values, positions);
  }
  return keep_support_from(scores, 0, 0, count, shift, slope, factor, values, positions);
}

int64_t keep_support(const double* scores, int64_t count, double shift, double slope, double factor,
                     double* values, int32_t* positions) {
  return keep_support_from(scores, 0, 0, count, shift, slope, factor, values, positions);
}

int64_t copy_nonzero(const float* row, int64_t count, float* values, int32_t* positions) {
  if (has_avx512()) return copy_nonzero_avx512(row, count, values, positions);
  return copy_nonzero_from(row, 0, 0, count, values, positions);
}

int64_t copy_nonzero(const double* row, int64_t count, double* values, int32_t* positions) {
  return copy_nonzero_from(row, 0, 0, count, values, positions);
}

}  // namespace lvtext
