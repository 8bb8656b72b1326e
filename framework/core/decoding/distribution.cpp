#include "framework/core/decoding/distribution.h"

#include <ATen/ATen.h>

#include "framework/core/tensor/shape.h"

namespace lvtext {
namespace {

/// The draws of rows at several positions.
at::Tensor draws(const PolicyOptions& policy, const OutputMap& map,
                 std::span<const int32_t> excluded, const at::Tensor& scores,
                 const at::Tensor& example_ids, const at::Tensor& positions, const NoiseKey& key) {
  const at::Tensor all = at::empty_like(example_ids);
  for (int64_t row = 0; row < all.size(0); ++row) {
    all.narrow(0, row, 1).copy_(choose_tokens(policy, map, excluded, scores.narrow(0, row, 1),
                                              example_ids.narrow(0, row, 1), key,
                                              positions[row].item<int64_t>()));
  }
  return all;
}

}  // namespace

std::vector<PolicyRows> policy_rows(std::span<const PolicyOptions> policies, const OutputMap& map,
                                    std::span<const int32_t> excluded, const at::Tensor& scores,
                                    const at::Tensor& targets, const at::Tensor& example_ids,
                                    const at::Tensor& positions, const NoiseKey& key) {
  LVT_CHECK_SHAPE(scores, {-1, -1});
  for (const at::Tensor& each : {targets, example_ids, positions}) {
    LVT_CHECK_SHAPE(each, {scores.size(0)});
  }
  const at::Tensor largest = scores.amax(1);  // NaN if there is one
  const at::Tensor invalid = largest.isfinite().logical_not().to(at::kCPU);
  const at::Tensor wanted = targets.to(scores.device()).unsqueeze(1);
  std::vector<PolicyRows> all;
  for (const PolicyOptions& policy : policies) {
    const Candidates from = candidates(policy, map, excluded, scores);
    const at::Tensor p = from.probabilities.to(at::kDouble);
    const at::Tensor of_target = at::where(from.ids == wanted, p, 0).sum(1);
    all.push_back({of_target.to(at::kCPU).masked_fill(invalid, NAN),
                   p.square().sum(1).to(at::kCPU).masked_fill(invalid, NAN),
                   from.support.to(at::kCPU).masked_fill(invalid, 0),
                   draws(policy, map, excluded, scores, example_ids, positions, key)
                       .masked_fill(invalid, -1)});
  }
  return all;
}

}  // namespace lvtext
