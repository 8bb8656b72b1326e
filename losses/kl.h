// KL divergence and sampling of Gaussian posteriors (Kingma and Welling 2014).
#pragma once

#include <ATen/core/Tensor.h>

namespace lvtext {

/// KL(N(mu, exp(logvar)) || N(0, I)) of each example in nats; mu, logvar [B, Z] -> [B]: sum_j
/// (mu_j^2 + exp(logvar_j) - 1 - logvar_j) / 2 (Kingma and Welling 2014, appendix B).
at::Tensor gaussian_kl(const at::Tensor& mu, const at::Tensor& logvar);

/// mu + exp(logvar / 2) * epsilon, all [B, Z].
at::Tensor reparameterize(const at::Tensor& mu, const at::Tensor& logvar,
                          const at::Tensor& epsilon);

}  // namespace lvtext
