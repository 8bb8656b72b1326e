#include "framework/core/model/stacked.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace lvtext {

Tokens stacked(const Tokens& first, const Tokens& second) {
  const int64_t time = std::max(first.ids.size(1), second.ids.size(1));
  const auto widened = [time](const at::Tensor& ids) {
    return at::constant_pad_nd(ids, {0, time - ids.size(1)});
  };
  return {at::cat({widened(first.ids), widened(second.ids)}),
          at::cat({first.lengths, second.lengths})};
}

}  // namespace lvtext
