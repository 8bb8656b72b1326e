#include "models/skip_gram/skip_gram_step.h"

#include <algorithm>
#include <cstring>

#include "framework/core/nn/vector_math.h"

namespace lvtext {
namespace {

/// Largest number of output vectors that are read together.
constexpr size_t kMaxTogether = 8;

using Lanes = float __attribute__((vector_size(kSkipGramLanes * sizeof(float))));

LVT_INLINE float sum(const Lanes& lanes) {
  float sums[kSkipGramLanes];
  std::memcpy(sums, &lanes, sizeof(sums));
  for (int64_t half = kSkipGramLanes / 2; half > 0; half /= 2) {
    for (int64_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  return sums[0];
}

/// The step for kCount different output vectors; adds to `gradient`. `label`: of the first one.
template <size_t kCount>
LVT_INLINE void learn(const float* input, float* const* outputs, float label, int64_t width,
                      float lr, float* gradient) {
  Lanes products[kCount] = {}, x, y, sums;
  for (int64_t k = 0; k < width; k += kSkipGramLanes) {
    std::memcpy(&x, input + k, sizeof(x));
    for (size_t n = 0; n < kCount; ++n) {
      std::memcpy(&y, outputs[n] + k, sizeof(y));
      products[n] += x * y;
    }
  }
  float scales[kCount];
  for (size_t n = 0; n < kCount; ++n) {
    scales[n] = lr * ((n == 0 ? label : 0) - vector_math::sigmoid(sum(products[n])));
  }
  for (int64_t k = 0; k < width; k += kSkipGramLanes) {
    std::memcpy(&x, input + k, sizeof(x));
    std::memcpy(&sums, gradient + k, sizeof(sums));
    for (size_t n = 0; n < kCount; ++n) {
      std::memcpy(&y, outputs[n] + k, sizeof(y));
      sums += scales[n] * y;
      y += scales[n] * x;
      std::memcpy(outputs[n] + k, &y, sizeof(y));
    }
    std::memcpy(gradient + k, &sums, sizeof(sums));
  }
}

LVT_WIDEST void skip_gram_outputs(const float* input, float* const* outputs, size_t count,
                                  float label, int64_t width, float lr, float* gradient) {
  switch (count) {
    case 1: return learn<1>(input, outputs, label, width, lr, gradient);
    case 2: return learn<2>(input, outputs, label, width, lr, gradient);
    case 3: return learn<3>(input, outputs, label, width, lr, gradient);
    case 4: return learn<4>(input, outputs, label, width, lr, gradient);
    case 5: return learn<5>(input, outputs, label, width, lr, gradient);
    case 6: return learn<6>(input, outputs, label, width, lr, gradient);
    case 7: return learn<7>(input, outputs, label, width, lr, gradient);
    default: return learn<kMaxTogether>(input, outputs, label, width, lr, gradient);
  }
}

}  // namespace

void skip_gram_step(float* input, std::span<float* const> outputs, int64_t width, float lr,
                    float* gradient) {
  std::fill(gradient, gradient + width, 0.0f);
  // Different vectors do not depend on each other, so that they can be read together: twice as fast
  // as one by one, with the same bits.
  for (auto first = outputs.begin(); first != outputs.end();) {
    auto last = first + 1;
    while (last != outputs.end() && last < first + kMaxTogether &&
           std::find(first, last, *last) == last) {
      ++last;
    }
    skip_gram_outputs(input, &*first, static_cast<size_t>(last - first),
                      first == outputs.begin() ? 1 : 0, width, lr, gradient);
    first = last;
  }
#pragma omp simd
  for (int64_t k = 0; k < width; ++k) {
    input[k] += gradient[k];
  }
}

}  // namespace lvtext
