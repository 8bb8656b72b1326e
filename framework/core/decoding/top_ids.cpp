#include "framework/core/decoding/top_ids.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "framework/core/base/error.h"
#include "framework/core/decoding/largest_scores.h"

namespace lvtext {
namespace {

/// By operations for any device. topk does not specify the order of equal values, so keys must be
/// distinct: the upper half of a key is the value as an integer of the same order, the lower half
/// is the column counted from the right.
at::Tensor top_of_keys(const at::Tensor& values, int64_t k, std::span<const int32_t> excluded) {
  const at::Tensor bits = values.contiguous().view(at::kInt);
  at::Tensor keys = at::where(bits < 0, bits.bitwise_xor(0x7fffffff), bits).to(at::kLong);
  keys.mul_(int64_t{1} << 32).add_(at::arange(values.size(1) - 1, -1, -1, keys.options()));
  for (const int32_t id : excluded) {
    keys.select(1, id).fill_(std::numeric_limits<int64_t>::min());
  }
  return std::get<1>(at::topk(keys, k, 1, /*largest=*/true, /*sorted=*/true));
}

/// A row on the CPU. Writes any allowed ids if there are NaNs.
void top_of_row(const float* values, int64_t vocabulary, int64_t k,
                std::span<const int32_t> excluded, std::vector<float>& maxima,
                LargestScores& largest, std::vector<int32_t>& order, int64_t* ids) {
  score_maxima(values, vocabulary, maxima);
  largest.find(values, vocabulary, maxima, floor_of_count(maxima, k + std::ssize(excluded)));
  order.clear();
  for (int64_t at = 0; at < largest.count; ++at) {
    if (std::find(excluded.begin(), excluded.end(), largest.ids[at]) == excluded.end()) {
      order.push_back(static_cast<int32_t>(at));
    }
  }
  const int64_t found = std::min(k, std::ssize(order));
  const float* scores = largest.scores.data();
  std::partial_sort(order.begin(), order.begin() + found, order.end(), [&](int32_t a, int32_t b) {
    return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
  });
  for (int64_t at = 0; at < found; ++at) ids[at] = largest.ids[order[at]];
  std::iota(ids + found, ids + k, 0);
}

}  // namespace

at::Tensor top_ids(const at::Tensor& values, int64_t k, std::span<const int32_t> excluded) {
  const int64_t v = values.size(1);
  LVT_ASSERT(values.scalar_type() == at::kFloat && k >= 1 && k <= v - std::ssize(excluded),
             "k must be in 1..number of ids that are not excluded");
  if (!values.is_cpu()) return top_of_keys(values, k, excluded);
  const at::Tensor rows = values.contiguous(), all = at::empty({rows.size(0), k}, at::kLong);
  const auto* first = rows.const_data_ptr<float>();
  auto* ids = all.mutable_data_ptr<int64_t>();
  at::parallel_for(0, rows.size(0), 1, [&](int64_t from, int64_t to) {
    std::vector<float> maxima;
    LargestScores largest;
    std::vector<int32_t> order;
    for (int64_t r = from; r < to; ++r) {
      top_of_row(first + r * v, v, k, excluded, maxima, largest, order, ids + r * k);
    }
  });
  return all;
}

}  // namespace lvtext
