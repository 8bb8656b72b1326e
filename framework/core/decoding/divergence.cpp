#include "framework/core/decoding/divergence.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/core/decoding/policy_row.h"
#include "framework/core/nn/vector_math.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {
namespace {

/// The sum of w ln w; w >= 0.
LVT_WIDEST double sum_of_w_log_w(const float* weights, int64_t count) {
  constexpr float kMin = 1e-37f;  // w ln w is negligible below
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t k = 0; k < count; ++k) {
    const float weight = weights[k];
    sum += weight * vector_math::log(weight > kMin ? weight : kMin);
  }
  return sum;
}

/// Adds a share of the distribution to `mean`.
void add_share(const PolicyDistribution& p, double share, std::vector<float>& mean) {
  const auto factor = static_cast<float>(share / p.total);
  for (int64_t k = 0; k < p.count; ++k) {
    mean[p.ids == nullptr ? k : p.ids[k]] += factor * p.weights[k];
  }
}

double probability_of(const PolicyDistribution& p, int64_t id) {
  if (p.ids == nullptr) return p.weights[id] / p.total;
  const int32_t* end = p.ids + p.count;
  const int32_t* at = std::lower_bound(p.ids, end, static_cast<int32_t>(id));
  return at != end && *at == id ? p.weights[at - p.ids] / p.total : 0;
}

}  // namespace

Divergences policy_divergences(std::span<const PoliciesOfModel> models, const at::Tensor& targets) {
  const int64_t count = targets.size(0), vocabulary = models.front().scores.size(1);
  int64_t policies = 0;
  std::vector<at::Tensor> scores;
  for (const PoliciesOfModel& model : models) {
    LVT_CHECK_SHAPE(model.scores, {count, vocabulary});
    scores.push_back(model.scores.to(at::kCPU, at::kFloat).contiguous());
    policies += std::ssize(model.policies);
  }
  const at::Tensor target = targets.contiguous();
  const Divergences all{at::full({count}, NAN, at::kDouble),
                        at::full({count, policies}, NAN, at::kDouble)};
  const auto* id = target.const_data_ptr<int64_t>();
  auto* divergence = all.divergence.mutable_data_ptr<double>();
  auto* probabilities = all.probabilities.mutable_data_ptr<double>();
  const double share = 1 / static_cast<double>(policies);
  at::parallel_for(0, count, 1, [&](int64_t from, int64_t to) {
    std::vector<PolicyRow> rows;
    for (const PoliciesOfModel& model : models) {
      rows.emplace_back(model.policies, model.map, std::span<const int32_t>(), vocabulary);
    }
    std::vector<float> mean(static_cast<size_t>(vocabulary));
    for (int64_t r = from; r < to; ++r) {
      std::fill(mean.begin(), mean.end(), 0.0f);
      double entropy = 0;
      auto* of_target = probabilities + r * policies;
      bool is_finite = true;
      for (size_t m = 0; m < rows.size() && is_finite; ++m) {
        is_finite = rows[m].read(scores[m].const_data_ptr<float>() + r * vocabulary);
        for (size_t k = 0; k < models[m].policies.size() && is_finite; ++k) {
          const PolicyDistribution p = rows[m].distribution(k);
          entropy += std::log(p.total) - sum_of_w_log_w(p.weights, p.count) / p.total;
          add_share(p, share, mean);
          *of_target++ = probability_of(p, id[r]);
        }
      }
      if (!is_finite) {
        std::fill_n(probabilities + r * policies, policies,
                    std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      divergence[r] = -sum_of_w_log_w(mean.data(), vocabulary) - share * entropy;
    }
  });
  return all;
}

}  // namespace lvtext
