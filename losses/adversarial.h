// Losses of adversarial models. Discriminators and critics give logits or scores [B], never
// probabilities: log(sigmoid(x)) underflows in float32 for confident logits; softplus does not.
#pragma once

#include <ATen/core/Tensor.h>

namespace lvtext {

/// Sum of softplus(-real) + softplus(fake), a scalar in nats: the cross entropy of a discriminator
/// with logits `real` [B] of real and `fake` [B] of generated examples (Goodfellow et al. 2014).
at::Tensor discriminator_sum(const at::Tensor& real, const at::Tensor& fake);

/// Non-saturating generator loss: the sum of -log sigmoid(fake) = softplus(-fake), a scalar in nats
/// (Goodfellow et al. 2014).
at::Tensor non_saturating_sum(const at::Tensor& fake);

/// Accuracy, a scalar in [0, 1]: the share of `real` above 0 and `fake` below.
at::Tensor discriminator_accuracy(const at::Tensor& real, const at::Tensor& fake);

/// Points on the lines between the rows of `real` and `fake` [B, Z], at `alpha` [B, 1] from the
/// fake's end; detached, and ready for a gradient.
at::Tensor points_between(const at::Tensor& real, const at::Tensor& fake, const at::Tensor& alpha);

/// Sum over rows of (|d score_b / d point_b| - 1)^2, a scalar with a graph to the critic's
/// parameters (Gulrajani et al. 2017, eq. 3, without its factor). `scores` [B] must be computed
/// from `points` [B, Z] one by one: a mean over the batch would hide the factor 1/B in the slopes.
at::Tensor gradient_penalty_sum(const at::Tensor& scores, const at::Tensor& points);

/// Mean over the batch of the L2 norms of the rows of a gradient [B, Z], a scalar.
at::Tensor mean_row_norm(const at::Tensor& gradient);

/// The critic's gradient on latent vectors, [B, Z], as the encoder receives it: reversed, scaled to
/// mean row norm `size` (a scalar) and multiplied by `weight` (Zhao et al. 2018, released code).
at::Tensor code_gradient(const at::Tensor& gradient, const at::Tensor& size, double weight);

}  // namespace lvtext
