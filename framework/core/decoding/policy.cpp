#include "framework/core/decoding/policy.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "framework/core/decoding/output_map.h"
#include "framework/core/decoding/policy_row.h"
#include "framework/core/decoding/top_ids.h"
#include "framework/core/nn/argmax.h"
#include "framework/core/nn/entmax.h"

namespace lvtext {
namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

at::Tensor greedy(const at::Tensor& scores, std::span<const int32_t> excluded) {
  // Most vocabularies start with the excluded ids, which needs no copy of the scores.
  int64_t first = 0;
  while (first < std::ssize(excluded) && excluded[first] == first) ++first;
  at::Tensor allowed = scores.narrow(1, first, scores.size(1) - first);
  if (first < std::ssize(excluded)) {
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

/// The distributions of `scores` [N, K] of the tokens `ids` [N, K].
Candidates distribution(const OutputMap& map, const at::Tensor& ids, const at::Tensor& scores) {
  if (map.alpha > kSoftmaxAlpha) {
    const EntmaxRows solved = solve_entmax(scores.contiguous(), map.alpha);
    return {ids, solved.probabilities, solved.support};
  }
  // A softmax gives every token a probability, even where it underflows.
  return {ids, probabilities(map, scores), (scores > kImpossible).sum(1)};
}

/// Of the tokens with `scores` [N, V], only `ids` [N, K]; id V means no token.
Candidates restricted(const OutputMap& map, const at::Tensor& scores, const at::Tensor& ids) {
  at::Tensor ascending = std::get<0>(ids.sort(1));
  const at::Tensor none = ascending == scores.size(1);
  ascending = ascending.masked_fill(none, 0);
  return distribution(map, ascending, scores.gather(1, ascending).masked_fill(none, kImpossible));
}

/// The most probable tokens up to the first whose total probability is above `mass`.
Candidates nucleus(const OutputMap& map, const at::Tensor& scores, double mass,
                   std::span<const int32_t> excluded) {
  constexpr int64_t kFirstGuess = 64, kGrowth = 4;
  const int64_t allowed = scores.size(1) - std::ssize(excluded);
  const at::Tensor p = probabilities(map, scores).to(at::kDouble);
  const at::Tensor limit = p.sum(1, true) * mass;  // rounded, the sum is not exactly 1
  for (int64_t k = std::min(kFirstGuess, allowed);; k = std::min(kGrowth * k, allowed)) {
    const at::Tensor ids = top_ids(scores, k, excluded);
    const at::Tensor sorted = p.gather(1, ids), total = sorted.cumsum(1);
    if (k < allowed && !(total.narrow(1, k - 1, 1) > limit).all().item<bool>()) continue;
    const at::Tensor dropped = total - sorted > limit;  // the tokens before are enough
    return restricted(map, scores, ids.masked_fill(dropped, scores.size(1)));
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

NoiseKey key_at(const NoiseKey& key, int64_t position) {
  NoiseKey there = key;
  there.stream ^= static_cast<uint32_t>(position + 1) * 0x9E3779B1u;  // spreads over all bits
  return there;
}

Candidates candidates(const PolicyOptions& options, const OutputMap& map,
                      std::span<const int32_t> excluded, const at::Tensor& scores) {
  if (options.type == Policy::kGreedy) {
    const at::Tensor ids = greedy(scores, excluded).unsqueeze(1);
    return {ids, at::ones(ids.sizes(), scores.options().dtype(at::kFloat)),
            at::ones({ids.size(0)}, ids.options())};
  }
  const OutputMap own{options.alpha.value_or(map.alpha)};
  const at::Tensor scaled = scores.to(at::kFloat) / options.temperature;
  for (const int32_t id : excluded) scaled.select(1, id).fill_(kImpossible);
  if (options.type == Policy::kNucleus && options.p < 1) {
    return nucleus(own, scaled, options.p, excluded);
  }
  if (options.type == Policy::kTopK) {
    const int64_t allowed = scaled.size(1) - std::ssize(excluded);
    return restricted(own, scaled, top_ids(scaled, std::min(options.k, allowed), excluded));
  }
  const at::Tensor ids = at::arange(scaled.size(1), scaled.options().dtype(at::kLong));
  return distribution(own, ids.expand_as(scaled), scaled);
}

at::Tensor drawn_tokens(const Candidates& from, const at::Tensor& uniform) {
  const at::Tensor cumulative = from.probabilities.cumsum(1, at::kDouble);
  const at::Tensor total = cumulative.narrow(1, cumulative.size(1) - 1, 1);
  const at::Tensor drawn = uniform.unsqueeze(1) * total;
  const at::Tensor index =
      at::searchsorted(cumulative, drawn, /*out_int32=*/false, /*right=*/true);  // [N, 1]
  // A NaN is larger than all probabilities, so that the index is out of range.
  const at::Tensor in_range = index.clamp_max(cumulative.size(1) - 1);
  return marked(from.ids.gather(1, in_range).squeeze(1), total.squeeze(1));
}

at::Tensor choose_tokens(const PolicyOptions& options, const OutputMap& map,
                         std::span<const int32_t> excluded, const at::Tensor& scores,
                         const at::Tensor& example_ids, const NoiseKey& key, int64_t position) {
  if (options.type == Policy::kGreedy) {
    const at::Tensor ids = greedy(scores, excluded);
    return marked(ids, scores.gather(1, ids.unsqueeze(1)).squeeze(1));
  }
  const at::Tensor numbers =
      uniform(key_at(key, position), example_ids, {1}, at::kDouble).squeeze(1);
  if (!scores.is_cpu()) {
    return drawn_tokens(candidates(options, map, excluded, scores), numbers.to(scores.device()));
  }
  const at::Tensor values = scores.to(at::kFloat).contiguous();
  const at::Tensor ids = at::full({values.size(0)}, -1, at::kLong);
  const int64_t vocabulary = values.size(1);
  const auto* first = values.const_data_ptr<float>();
  const auto* number = numbers.const_data_ptr<double>();
  auto* id = ids.mutable_data_ptr<int64_t>();
  at::parallel_for(0, values.size(0), 1, [&](int64_t from, int64_t to) {
    PolicyRow row({&options, 1}, map, excluded, vocabulary);
    for (int64_t r = from; r < to; ++r) {
      if (row.read(first + r * vocabulary)) id[r] = row.apply(0, -1, number[r]).draw;
    }
  });
  return ids;
}

DataError nonfinite_scores() {
  return DataError(
      "the model's scores of the next token are not finite: its training diverged, or its weights "
      "are damaged. Train it again with a lower learning rate or with clip_norm; a checkpoint from "
      "before it diverged can be chosen with --checkpoint");
}

}  // namespace lvtext
