#include "framework/core/decoding/distribution.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/decoding/policy_row.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {
namespace {

/// The number with which each row draws, [N] float64.
at::Tensor uniform_numbers(const NoiseKey& key, const at::Tensor& example_ids,
                           const at::Tensor& positions) {
  const at::Tensor all = at::empty({positions.size(0)}, at::kDouble);
  for (int64_t row = 0; row < positions.size(0); ++row) {
    const NoiseKey here = key_at(key, positions.const_data_ptr<int64_t>()[row]);
    all.mutable_data_ptr<double>()[row] =
        *uniform(here, example_ids.narrow(0, row, 1), {1}, at::kDouble).const_data_ptr<double>();
  }
  return all;
}

void check(const at::Tensor& scores, const at::Tensor& targets, const at::Tensor& example_ids,
           const at::Tensor& positions) {
  LVT_CHECK_SHAPE(scores, {-1, -1});
  LVT_CHECK_SHAPE(targets, {scores.size(0)});
  LVT_CHECK_SHAPE(example_ids, {scores.size(0)});
  LVT_CHECK_SHAPE(positions, {scores.size(0)});
}

/// Total probabilities of the sets, [N, K] on the CPU, from probabilities `p` of the tokens `ids`.
at::Tensor masses_of(const at::Tensor& ids, const at::Tensor& p, int64_t vocabulary,
                     const TokenSets& sets) {
  const at::Tensor all =
      at::zeros({p.size(0), vocabulary}, p.options()).scatter_add_(1, ids, p).to(at::kCPU);
  const at::Tensor masses = at::zeros({p.size(0), sets.sets}, at::kDouble);
  for (int64_t row = 0; row < p.size(0); ++row) {
    const auto* of_token = all.const_data_ptr<double>() + row * vocabulary;
    const auto counts = sets.counts_of(row);
    const auto tokens = sets.ids_of(row);
    for (int64_t k = 0; k < sets.sets; ++k) {
      for (int64_t i = 0; i < counts[k]; ++i) {
        masses.mutable_data_ptr<double>()[row * sets.sets + k] += of_token[tokens[i]];
      }
    }
  }
  return masses;
}

}  // namespace

std::vector<PolicyRows> policy_rows(std::span<const PolicyOptions> policies, const OutputMap& map,
                                    std::span<const int32_t> excluded, const at::Tensor& scores,
                                    const at::Tensor& targets, const at::Tensor& example_ids,
                                    const at::Tensor& positions, const NoiseKey& key,
                                    const TokenSets& sets) {
  if (!scores.is_cpu()) {
    return composed_policy_rows(policies, map, excluded, scores, targets, example_ids, positions,
                                key, sets);
  }
  check(scores, targets, example_ids, positions);
  const int64_t count = scores.size(0), vocabulary = scores.size(1);
  const at::Tensor values = scores.to(at::kFloat).contiguous();
  const at::Tensor target_ids = targets.contiguous();
  const at::Tensor numbers = uniform_numbers(key, example_ids, positions.contiguous());
  const auto* first = values.const_data_ptr<float>();
  const auto* target = target_ids.const_data_ptr<int64_t>();
  const auto* number = numbers.const_data_ptr<double>();
  std::vector<PolicyRows> all;
  struct Output {
    double *probability, *squares;
    int64_t *support, *draw;
    double* masses;
  };
  std::vector<Output> outputs;
  for (size_t policy = 0; policy < policies.size(); ++policy) {
    PolicyRows& rows =
        all.emplace_back(PolicyRows{.probability = at::full({count}, NAN, at::kDouble),
                                    .squares = at::full({count}, NAN, at::kDouble),
                                    .support = at::zeros({count}, at::kLong),
                                    .draws = at::full({count}, -1, at::kLong)});
    if (sets.sets > 0) rows.masses = at::full({count, sets.sets}, NAN, at::kDouble);
    outputs.push_back(
        {rows.probability.mutable_data_ptr<double>(), rows.squares.mutable_data_ptr<double>(),
         rows.support.mutable_data_ptr<int64_t>(), rows.draws.mutable_data_ptr<int64_t>(),
         sets.sets > 0 ? rows.masses.mutable_data_ptr<double>() : nullptr});
  }
  at::parallel_for(0, count, 1, [&](int64_t from, int64_t to) {
    PolicyRow row(policies, map, excluded, vocabulary);
    for (int64_t r = from; r < to; ++r) {
      if (!row.read(first + r * vocabulary)) continue;
      for (size_t policy = 0; policy < outputs.size(); ++policy) {
        const PolicyResult result = row.apply(policy, target[r], number[r]);
        outputs[policy].probability[r] = result.probability;
        outputs[policy].squares[r] = result.squares;
        outputs[policy].support[r] = result.support;
        outputs[policy].draw[r] = result.draw;
        if (sets.sets > 0) {
          row.masses(policy, sets.ids_of(r), sets.counts_of(r),
                     outputs[policy].masses + r * sets.sets);
        }
      }
    }
  });
  return all;
}

std::vector<PolicyRows> composed_policy_rows(std::span<const PolicyOptions> policies,
                                             const OutputMap& map,
                                             std::span<const int32_t> excluded,
                                             const at::Tensor& scores, const at::Tensor& targets,
                                             const at::Tensor& example_ids,
                                             const at::Tensor& positions, const NoiseKey& key,
                                             const TokenSets& sets) {
  check(scores, targets, example_ids, positions);
  const at::Tensor largest = scores.amax(1);  // NaN if there is one
  const at::Tensor invalid = largest.isfinite().logical_not().to(at::kCPU);
  const at::Tensor target_ids = targets.to(scores.device()).unsqueeze(1);
  const at::Tensor numbers = uniform_numbers(key, example_ids, positions.contiguous());
  std::vector<PolicyRows> all;
  for (const PolicyOptions& policy : policies) {
    const Candidates from = candidates(policy, map, excluded, scores);
    const at::Tensor p = from.probabilities.to(at::kDouble);
    const at::Tensor of_target = at::where(from.ids == target_ids, p, 0).sum(1);
    const at::Tensor draws = drawn_tokens(from, numbers.to(scores.device()));
    all.push_back({of_target.to(at::kCPU).masked_fill(invalid, NAN),
                   p.square().sum(1).to(at::kCPU).masked_fill(invalid, NAN),
                   from.support.to(at::kCPU).masked_fill(invalid, 0),
                   draws.to(at::kCPU).masked_fill(invalid, -1),
                   sets.sets == 0 ? at::Tensor{}
                                  : masses_of(from.ids, p, scores.size(1), sets)
                                        .masked_fill(invalid.unsqueeze(1), NAN)});
  }
  return all;
}

}  // namespace lvtext
