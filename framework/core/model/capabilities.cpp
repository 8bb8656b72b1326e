#include "framework/core/model/capabilities.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "framework/core/base/signals.h"

namespace lvtext {

at::Tensor NextTokenModel::text_scores(const Tokens& texts) {
  const std::optional<int32_t> symbol = start_symbol();
  const at::Tensor inputs = symbol ? with_bos(texts, *symbol) : texts.ids;
  // A text's last input predicts EOS; without a start symbol a text has one input less.
  const at::Tensor read = texts.lengths + (symbol ? 1 : 0) - (ends() ? 0 : 1);
  const int64_t steps = std::max<int64_t>(0, read.max().item<int64_t>());
  const auto state = start({.rows = texts.rows()});
  std::vector<at::Tensor> all;
  for (int64_t t = 0; t < steps; ++t) {
    throw_if_stopped();
    all.push_back(step(*state, inputs.select(1, t)));
  }
  if (all.empty()) return at::empty({0, vocabulary().size});
  const at::Tensor is_read = at::arange(steps).unsqueeze(0) < read.unsqueeze(1);
  const at::Tensor stacked = at::stack(all, 1);
  return stacked.flatten(0, 1).index({is_read.flatten().to(stacked.device())});
}

}  // namespace lvtext
