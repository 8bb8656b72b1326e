// Losses of adversarial models. Discriminators return logits [B] instead of probabilities, because
// log(sigmoid(x)) underflows in float32 for confident logits; softplus does not. Critics return
// unbounded scores [B].
#pragma once

#include <ATen/core/Tensor.h>

namespace lvtext {

/// Sum of softplus(-real) + softplus(fake), a scalar in nats: the cross entropy of a discriminator
/// with logits `real` [B] of real and `fake` [B] of generated examples (Goodfellow et al. 2014).
at::Tensor discriminator_sum(const at::Tensor& real, const at::Tensor& fake);

/// Non-saturating generator loss: the sum of -log sigmoid(fake) = softplus(-fake), a scalar in nats
/// (Goodfellow et al. 2014).
at::Tensor non_saturating_sum(const at::Tensor& fake);

/// Accuracy of the discriminator, a scalar in [0, 1]: the share of `real` > 0 and `fake` < 0.
at::Tensor discriminator_accuracy(const at::Tensor& real, const at::Tensor& fake);

/// alpha real + (1 - alpha) fake for the examples of `real` and `fake` [B, ...], with `alpha`
/// [B, 1]. Differentiable.
at::Tensor interpolated(const at::Tensor& real, const at::Tensor& fake, const at::Tensor& alpha);

/// The same points, detached and requiring gradients: the argument of a critic's gradient penalty.
at::Tensor points_between(const at::Tensor& real, const at::Tensor& fake, const at::Tensor& alpha);

/// Sum over examples of (|d score_b / d point_b| - 1)^2, a scalar with a graph to the critic's
/// parameters and to whatever `points` [B, ...] were computed from (Gulrajani et al. 2017, eq. 3,
/// without its factor). The L2 norm is over all dimensions of an example. `scores` [B] must be
/// computed per point; a mean over the batch would scale the gradients by 1/B.
at::Tensor gradient_penalty_sum(const at::Tensor& scores, const at::Tensor& points);

/// Mean over the batch of the L2 norms of the rows of a gradient [B, Z], a scalar.
at::Tensor mean_row_norm(const at::Tensor& gradient);

/// Converts the critic's gradient on latent vectors [B, Z] to the encoder's gradient: reversed,
/// scaled to mean row norm `size` (a scalar) and multiplied by `weight` (Zhao et al. 2018, released
/// code).
at::Tensor latent_gradient(const at::Tensor& gradient, const at::Tensor& size, double weight);

}  // namespace lvtext
