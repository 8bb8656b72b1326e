#include "framework/decoding/policy.h"

#include <ATen/ATen.h>

#include <limits>
#include <tuple>

#include "framework/model/batch.h"
#include "framework/nn/argmax.h"

namespace lvtext {
namespace {

// Padding and the begin mark have the two lowest ids.
constexpr int64_t kFirstAllowed = 2;
static_assert(kPad < kFirstAllowed && kBos < kFirstAllowed && kEos >= kFirstAllowed);

at::Tensor greedy(const at::Tensor& scores) {
  return first_argmax(scores.narrow(1, kFirstAllowed, scores.size(1) - kFirstAllowed)) +
         kFirstAllowed;
}

// [N, V]: softmax over the allowed tokens.
at::Tensor softmax(const PolicyOptions& options, const at::Tensor& scores) {
  at::Tensor scaled = scores.to(at::kFloat) / options.temperature;
  scaled.narrow(1, 0, kFirstAllowed).fill_(-std::numeric_limits<float>::infinity());
  return at::softmax(scaled, 1);
}

// [N, V]: probabilities with all but the first of each row's order set to 0; `keep` gets the sorted
// probabilities and says which of them stay.
template <class Keep>
at::Tensor restricted(const at::Tensor& probabilities, const Keep& keep) {
  const auto [sorted, order] = at::sort(probabilities, /*stable=*/true, 1, /*descending=*/true);
  const at::Tensor kept = at::where(keep(sorted), sorted, at::zeros({}, sorted.options()));
  const at::Tensor result = at::zeros_like(probabilities).scatter_(1, order, kept);
  return result / result.sum(1, true);
}

}  // namespace

const std::vector<EnumName<Policy>>& enum_names(Policy) {
  static const std::vector<EnumName<Policy>> names = {
      {"greedy", Policy::kGreedy, "the most probable token"},
      {"temperature", Policy::kTemperature, "a draw of the tempered softmax (ancestral sampling)"},
      {"top_k", Policy::kTopK, "a draw among the k most probable tokens"},
      {"nucleus", Policy::kNucleus, "a draw among the fewest tokens of total probability p"}};
  return names;
}

at::Tensor policy_probabilities(const PolicyOptions& options, const at::Tensor& scores) {
  switch (options.type) {
    case Policy::kGreedy:
      return at::zeros(scores.sizes(), scores.options().dtype(at::kFloat))
          .scatter_(1, greedy(scores).unsqueeze(1), 1.0);
    case Policy::kTemperature: break;
    case Policy::kTopK:
      return restricted(softmax(options, scores), [&](const at::Tensor& sorted) {
        return (at::arange(sorted.size(1), sorted.options()) < options.k).expand_as(sorted);
      });
    case Policy::kNucleus:
      return restricted(softmax(options, scores), [&](const at::Tensor& sorted) {
        const at::Tensor wide = sorted.to(at::kDouble);
        return wide.cumsum(1) - wide < options.p;  // what stands before it does not reach p yet
      });
  }
  return softmax(options, scores);
}

at::Tensor choose_tokens(const PolicyOptions& options, const at::Tensor& scores,
                         const at::Tensor& example_ids, const NoiseKey& key, int64_t position) {
  if (options.type == Policy::kGreedy) return greedy(scores);
  NoiseKey at_position = key;
  at_position.slot ^= static_cast<uint32_t>(position + 1) * 0x9E3779B1u;  // spreads over all bits
  const at::Tensor cumulative = policy_probabilities(options, scores).cumsum(1, at::kDouble);
  const at::Tensor total = cumulative.narrow(1, cumulative.size(1) - 1, 1);
  const at::Tensor drawn = uniform(at_position, example_ids, {1}, cumulative.options()) * total;
  return at::searchsorted(cumulative, drawn, /*out_int32=*/false, /*right=*/true).squeeze(1);
}

}  // namespace lvtext
