#include "models/aae/token_deletion.h"

#include "framework/core/tensor/torch.h"

namespace lvtext {

Tokens delete_tokens(const Tokens& sentences, double p, const NoiseKey& key,
                     const at::Tensor& example_ids) {
  // Computed on the CPU, because lengths are on the CPU; this avoids a GPU synchronization.
  const at::Tensor positions = at::arange(sentences.ids.size(1), at::kLong).unsqueeze(0);
  const at::Tensor kept =
      dropout_mask(key, example_ids, {sentences.ids.size(1)}, p, at::kFloat).to(at::kBool) &
      (positions < sentences.lengths.unsqueeze(1));
  const at::Tensor lengths = kept.sum(1);
  // A stable sort moves the kept tokens to the front in their original order.
  const at::Tensor order = at::argsort(kept.to(at::kByte), /*stable=*/true, 1, /*descending=*/true);
  const at::Tensor padding = positions >= lengths.unsqueeze(1);
  const at::Device device = sentences.ids.device();
  return {sentences.ids.gather(1, order.to(device)).masked_fill(padding.to(device), 0), lengths};
}

}  // namespace lvtext
