#include "models/skip_gram/skip_gram_step.h"

#include <algorithm>

#include "framework/core/nn/vector_math.h"

namespace lvtext {
namespace {

LVT_INLINE float dot(const float* x, const float* y, int64_t width) {
  float sums[kSkipGramLanes] = {};
  for (int64_t k = 0; k < width; k += kSkipGramLanes) {
    for (int64_t lane = 0; lane < kSkipGramLanes; ++lane) {
      sums[lane] += x[k + lane] * y[k + lane];
    }
  }
  for (int64_t half = kSkipGramLanes / 2; half > 0; half /= 2) {
    for (int64_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  return sums[0];
}

}  // namespace

LVT_WIDEST void skip_gram_step(float* input, std::span<float* const> outputs, int64_t width,
                               float lr, float* gradient) {
  std::fill(gradient, gradient + width, 0.0f);
  float label = 1;
  for (float* const output : outputs) {
    const float scale = lr * (label - vector_math::sigmoid(dot(input, output, width)));
#pragma omp simd
    for (int64_t k = 0; k < width; ++k) {
      gradient[k] += scale * output[k];
      output[k] += scale * input[k];
    }
    label = 0;
  }
#pragma omp simd
  for (int64_t k = 0; k < width; ++k) {
    input[k] += gradient[k];
  }
}

}  // namespace lvtext
