// Alpha-entmax (Peters, Niculae, Martins 2019) and its loss (Martins et al. 2020, "Sparse Text
// Generation", section 3): sparse probabilities from scores. Alpha 1 is softmax, 2 is sparsemax.
#pragma once

#include <ATen/core/Tensor.h>

#include "framework/core/nn/entmax_row.h"

namespace lvtext {

/// Alpha-entmax of each row: scores [N, V], float32 or float64 -> [N, V] of the same type, rows sum
/// to 1. Scores below the support have probability exactly 0; scores of -infinity are never in it.
/// `alpha` is in [kMinAlpha, kMaxAlpha]; others fail an assertion. A row with a NaN, or without a
/// finite score, gives NaN. The gradient is entmax_backward(); no second derivatives.
at::Tensor entmax(const at::Tensor& scores, double alpha);

/// Fails an assertion if `alpha` is not in [kMinAlpha, kMaxAlpha].
void check_alpha(double alpha);

/// Solutions of rows of scores.
struct EntmaxRows {
  at::Tensor probabilities;  ///< [N, V]
  at::Tensor thresholds;     ///< c of each row (EntmaxSolution), [N] float64
  at::Tensor power_sums;     ///< sum of p^alpha of each row, [N] float64
  /// Number of scores above the threshold, [N] int64; their p can underflow for small alpha.
  at::Tensor support;

  /// entmax_loss() of the scores that were solved, without gradient.
  at::Tensor loss(const at::Tensor& scores, const at::Tensor& targets, double alpha) const;
};

/// Solves contiguous scores [N, V] for `alpha` > kSoftmaxAlpha, without gradient: on the CPU by
/// EntmaxRow, on other devices by solve_entmax_composed().
EntmaxRows solve_entmax(const at::Tensor& scores, double alpha);

/// The same by LibTorch's operations on any device, without transferring values to the host.
EntmaxRows solve_entmax_composed(const at::Tensor& scores, double alpha);

/// Vector-Jacobian product of entmax: probabilities p [N, V] and the gradient g for p -> the
/// gradient for the scores, s g - s (s . g) / sum(s) with s = p^(2 - alpha) on the support.
at::Tensor entmax_backward(const at::Tensor& probabilities, const at::Tensor& gradient,
                           double alpha);

/// Derivative for alpha: sum_i g_i dp_i / d alpha of each row, [N], computed in float64; `alpha`
/// is at least 1.01, because the formula cancels near 1 (Correia, Niculae, Martins 2019,
/// Proposition 1).
at::Tensor entmax_alpha_gradient(const at::Tensor& probabilities, const at::Tensor& gradient,
                                 double alpha);

/// Entmax loss of each row, [N]: c - z_x - (1 - sum p^alpha) / alpha for the target x (`targets`
/// [N] int64), which is 0 if and only if p is one-hot at x. Its gradient for the scores is p minus
/// one-hot. For alpha 1 the negative log-likelihood. No second derivatives.
at::Tensor entmax_loss(const at::Tensor& scores, const at::Tensor& targets, double alpha);

}  // namespace lvtext
