#include "framework/core/nn/argmax.h"

#include <limits>

#include "framework/core/base/error.h"
#include "framework/core/nn/vector_math.h"
#include "framework/core/tensor/shape.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {
namespace {

constexpr int64_t kArgmaxBlock = 512;

LVT_WIDEST float largest(const float* x, int64_t count) {
  // Uses separate lanes because compilers cannot reorder a single running maximum.
  constexpr int64_t kLanes = 32;
  float best[kLanes];
  std::fill(best, best + kLanes, -std::numeric_limits<float>::infinity());
  int64_t k = 0;
  for (; k + kLanes <= count; k += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      best[lane] = x[k + lane] > best[lane] ? x[k + lane] : best[lane];
    }
  }
  for (; k < count; ++k) {
    best[0] = x[k] > best[0] ? x[k] : best[0];
  }
  return *std::max_element(best, best + kLanes);
}

/// Finds the block with vectorized code, then the position within it by linear search.
int64_t argmax_of_row(const float* x, int64_t count) {
  float best = -std::numeric_limits<float>::infinity();
  int64_t block = 0;
  for (int64_t from = 0; from < count; from += kArgmaxBlock) {
    const float here = largest(x + from, std::min(kArgmaxBlock, count - from));
    if (here > best) {
      best = here;
      block = from;
    }
  }
  const float* end = x + std::min(block + kArgmaxBlock, count);
  const float* found = std::find(x + block, end, best);
  return found == end ? 0 : found - x;
}

}  // namespace

at::Tensor first_argmax(const at::Tensor& scores) {
  LVT_CHECK_SHAPE(scores, {-1, -1});
  LVT_ASSERT(scores.size(1) > 0, "scores must be [N, V] with V >= 1");
  if (!scores.is_cpu() || scores.scalar_type() != at::kFloat || scores.stride(1) != 1) {
    return scores.argmax(1);
  }
  at::Tensor indices = at::empty({scores.size(0)}, scores.options().dtype(at::kLong));
  const float* first = scores.const_data_ptr<float>();
  const int64_t stride = scores.stride(0), vocabulary = scores.size(1);
  int64_t* index = indices.mutable_data_ptr<int64_t>();
  at::parallel_for(0, scores.size(0), 4, [&](int64_t from, int64_t to) {
    for (int64_t r = from; r < to; ++r) {
      index[r] = argmax_of_row(first + r * stride, vocabulary);
    }
  });
  return indices;
}

}  // namespace lvtext
