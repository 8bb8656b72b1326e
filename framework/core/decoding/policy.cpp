#include "framework/core/decoding/policy.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "framework/core/decoding/output_map.h"
#include "framework/core/decoding/top_ids.h"
#include "framework/core/nn/argmax.h"

namespace lvtext {
namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

at::Tensor greedy(const at::Tensor& scores, const Vocabulary& vocabulary) {
  const std::vector<int32_t> excluded = never_chosen(vocabulary);
  // Most vocabularies start with the excluded ids, which needs no copy of the scores.
  int64_t first = 0;
  while (first < static_cast<int64_t>(excluded.size()) && excluded[first] == first) ++first;
  at::Tensor allowed = scores.narrow(1, first, scores.size(1) - first);
  if (first < static_cast<int64_t>(excluded.size())) {
    allowed = allowed.clone();
    for (const int32_t id : excluded) {
      if (id >= first) allowed.select(1, id - first).fill_(kImpossible);
    }
  }
  return first_argmax(allowed) + first;
}

/// `ids` [N], with -1 where `weights` [N] is not finite.
at::Tensor marked(const at::Tensor& ids, const at::Tensor& weights) {
  return ids.masked_fill(weights.isfinite().logical_not(), -1);
}

// [N, V]: probabilities of the allowed tokens.
at::Tensor tempered(const PolicyOptions& options, const OutputMap& map,
                    const std::vector<int32_t>& excluded, const at::Tensor& scores) {
  at::Tensor scaled = scores.to(at::kFloat) / options.temperature;
  for (const int32_t id : excluded) scaled.select(1, id).fill_(kImpossible);
  return probabilities(map, scaled);
}

// Returns the tokens `ids` [N, K] of the distributions `p` [N, V] as candidates; id V means no
// token.
Candidates restricted(const at::Tensor& p, const at::Tensor& ids) {
  at::Tensor ascending = std::get<0>(ids.sort(1));
  const at::Tensor none = ascending == p.size(1);
  ascending = ascending.masked_fill(none, 0);
  const at::Tensor kept = p.gather(1, ascending).masked_fill(none, 0);
  return {ascending, kept / kept.sum(1, true)};
}

// Returns the smallest set of most probable tokens whose total probability reaches `mass`.
Candidates nucleus(const at::Tensor& p, double mass, const std::vector<int32_t>& excluded) {
  constexpr int64_t kFirstGuess = 64, kGrowth = 4;
  const int64_t allowed = p.size(1) - static_cast<int64_t>(excluded.size());
  for (int64_t k = std::min(kFirstGuess, allowed);; k = std::min(kGrowth * k, allowed)) {
    const at::Tensor ids = top_ids(p, k, excluded);
    const at::Tensor sorted = p.gather(1, ids).to(at::kDouble);
    const at::Tensor reached = sorted.cumsum(1);
    if (k < allowed && !(reached.select(1, k - 1) >= mass).all().item<bool>()) continue;
    const at::Tensor dropped = reached - sorted >= mass;  // the preceding tokens reach the mass
    return restricted(p, ids.masked_fill(dropped, p.size(1)));
  }
}

}  // namespace

const std::vector<EnumName<Policy>>& enum_names(Policy) {
  static const std::vector<EnumName<Policy>> names = {
      {"greedy", Policy::kGreedy, "the most probable token"},
      {"temperature", Policy::kTemperature,
       "sample from the softmax with temperature (ancestral sampling)"},
      {"top_k", Policy::kTopK, "sample from the k most probable tokens"},
      {"nucleus", Policy::kNucleus,
       "sample from the smallest set of tokens with total probability p"}};
  return names;
}

Candidates candidates(const PolicyOptions& options, const OutputMap& map,
                      const Vocabulary& vocabulary, const at::Tensor& scores) {
  if (options.type == Policy::kGreedy) {
    const at::Tensor ids = greedy(scores, vocabulary).unsqueeze(1);
    return {ids, at::ones(ids.sizes(), scores.options().dtype(at::kFloat))};
  }
  const std::vector<int32_t> excluded = never_chosen(vocabulary);
  const at::Tensor p = tempered(options, map, excluded, scores);
  if (options.type == Policy::kNucleus) return nucleus(p, options.p, excluded);
  if (options.type == Policy::kTopK) {
    const int64_t allowed = p.size(1) - static_cast<int64_t>(excluded.size());
    return restricted(p, top_ids(p, std::min(options.k, allowed), excluded));
  }
  return {at::arange(p.size(1), p.options().dtype(at::kLong)).expand_as(p), p};
}

at::Tensor choose_tokens(const PolicyOptions& options, const OutputMap& map,
                         const Vocabulary& vocabulary, const at::Tensor& scores,
                         const at::Tensor& example_ids, const NoiseKey& key, int64_t position) {
  if (options.type == Policy::kGreedy) {
    const at::Tensor ids = greedy(scores, vocabulary);
    return marked(ids, scores.gather(1, ids.unsqueeze(1)).squeeze(1));
  }
  NoiseKey at_position = key;
  at_position.stream ^= static_cast<uint32_t>(position + 1) * 0x9E3779B1u;  // spreads over all bits
  const Candidates from = candidates(options, map, vocabulary, scores);
  const at::Tensor cumulative = from.probabilities.cumsum(1, at::kDouble);
  const at::Tensor total = cumulative.narrow(1, cumulative.size(1) - 1, 1);
  const at::Tensor drawn = uniform(at_position, example_ids, {1}, cumulative.options()) * total;
  const at::Tensor index =
      at::searchsorted(cumulative, drawn, /*out_int32=*/false, /*right=*/true);  // [N, 1]
  // A NaN is larger than all probabilities, so that the index is out of range.
  const at::Tensor in_range = index.clamp_max(cumulative.size(1) - 1);
  return marked(from.ids.gather(1, in_range).squeeze(1), total.squeeze(1));
}

DataError nonfinite_scores() {
  return DataError(
      "the model's scores of the next token are not finite: its training diverged, or its weights "
      "are damaged. Train it again with a lower learning rate or with clip_norm; a checkpoint from "
      "before it diverged can be chosen with --checkpoint");
}

}  // namespace lvtext
