#include "framework/core/decoding/top_ids.h"

#include <ATen/ATen.h>

#include <limits>
#include <tuple>

#include "framework/core/base/error.h"

namespace lvtext {

at::Tensor top_ids(const at::Tensor& values, int64_t k, std::span<const int32_t> excluded) {
  const int64_t v = values.size(1);
  LVT_ASSERT(values.scalar_type() == at::kFloat && k >= 1 &&
                 k <= v - static_cast<int64_t>(excluded.size()),
             "k must be in 1..number of ids that are not excluded");
  // topk does not specify the order of equal values, so keys must be distinct: the upper half of a
  // key is the value as an integer of the same order, the lower half is the column counted from the
  // right.
  const at::Tensor bits = values.contiguous().view(at::kInt);
  at::Tensor keys = at::where(bits < 0, bits.bitwise_xor(0x7fffffff), bits).to(at::kLong);
  keys.mul_(int64_t{1} << 32).add_(at::arange(v - 1, -1, -1, keys.options()));
  for (const int32_t id : excluded) {
    keys.select(1, id).fill_(std::numeric_limits<int64_t>::min());
  }
  return std::get<1>(at::topk(keys, k, 1, /*largest=*/true, /*sorted=*/true));
}

}  // namespace lvtext
