#include "models/infersent/pooling.h"

#include <ATen/ATen.h>

#include <limits>

namespace lvtext {

const std::vector<EnumName<Pooling>>& enum_names(Pooling) {
  static const std::vector<EnumName<Pooling>> names = {
      {"v1_batch", Pooling::kV1Batch,
       "version 1, bit for bit: includes zeros at padding, which the longest sentence of a batch "
       "does not have"},
      {"v1_zero", Pooling::kV1Zero,
       "version 1 independent of the batch: includes a zero for every sentence"},
      {"exact", Pooling::kExact, "version 2: excludes padding"}};
  return names;
}

at::Tensor pool_states(const at::Tensor& states, const at::Tensor& lengths, Pooling pooling) {
  if (pooling == Pooling::kV1Batch) {
    return std::get<0>(states.slice(1, 0, lengths.max().item<int64_t>()).max(1));
  }
  const at::Tensor positions = at::arange(states.size(1), lengths.options()).unsqueeze(0);
  const at::Tensor padding = positions.ge(lengths.unsqueeze(1)).unsqueeze(2).to(states.device());
  const at::Tensor largest =
      std::get<0>(states.masked_fill(padding, -std::numeric_limits<double>::infinity()).max(1));
  return pooling == Pooling::kExact ? largest : largest.clamp_min(0);
}

}  // namespace lvtext
