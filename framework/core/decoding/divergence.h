// How much the distributions of several token policies differ.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "framework/core/decoding/policy.h"
#include "framework/core/model/capabilities.h"

namespace lvtext {

/// Policies that read the scores [N, V] of one model.
struct PoliciesOfModel {
  std::vector<PolicyOptions> policies;
  OutputMap map;
  at::Tensor scores;
};

struct Divergences {
  at::Tensor divergence;     ///< [N] float64
  at::Tensor probabilities;  ///< [N, K] float64, of the targets, model by model
};

/// The generalized Jensen-Shannon divergence of the distributions p_1..p_K of all policies of all
/// models at each row, over the whole vocabulary, in nats:
///   JS = H(m) - 1/K sum_k H(p_k), m = 1/K sum_k p_k, in [0, ln K]
/// (Lin 1991 with equal weights; Martins, Marinho and Martins 2020, tables 11 and 12). `targets`
/// [N] int64. All results are on the CPU, where they are computed. A row with scores that are not
/// finite (a NaN, or no finite largest score) has NaN.
Divergences policy_divergences(std::span<const PoliciesOfModel> models, const at::Tensor& targets);

}  // namespace lvtext
