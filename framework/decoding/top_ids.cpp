#include "framework/decoding/top_ids.h"

#include <ATen/ATen.h>

#include <tuple>

#include "framework/base/error.h"

namespace lvtext {

at::Tensor top_ids(const at::Tensor& values, int64_t k) {
  const int64_t allowed = values.size(1) - kFirstAllowed;
  LVT_ASSERT(values.scalar_type() == at::kFloat && k >= 1 && k <= allowed, "k is not in 1..V-2");
  // Which of equal values topk returns is unspecified, so no two may be equal: the value, as an
  // integer of the same order, in the upper half of the key, the column from the right below it.
  const at::Tensor bits = values.narrow(1, kFirstAllowed, allowed).contiguous().view(at::kInt);
  at::Tensor keys = at::where(bits < 0, bits.bitwise_xor(0x7fffffff), bits).to(at::kLong);
  keys.mul_(int64_t{1} << 32).add_(at::arange(allowed - 1, -1, -1, keys.options()));
  return std::get<1>(at::topk(keys, k, 1, /*largest=*/true, /*sorted=*/true)) + kFirstAllowed;
}

}  // namespace lvtext
