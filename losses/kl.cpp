#include "losses/kl.h"

#include "framework/core/tensor/shape.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

at::Tensor gaussian_kl(const at::Tensor& mu, const at::Tensor& logvar) {
  LVT_CHECK_SHAPE(mu, {-1, -1});
  LVT_CHECK_SHAPE(logvar, {mu.size(0), mu.size(1)});
  // 1 - exp(logvar) would cancel when the posterior is close to the prior; expm1 does not.
  return 0.5 * (mu * mu + (logvar.expm1() - logvar)).sum(-1);
}

at::Tensor reparameterize(const at::Tensor& mu, const at::Tensor& logvar,
                          const at::Tensor& epsilon) {
  LVT_CHECK_SHAPE(mu, {-1, -1});
  LVT_CHECK_SHAPE(logvar, {mu.size(0), mu.size(1)});
  LVT_CHECK_SHAPE(epsilon, {mu.size(0), mu.size(1)});
  return mu + (0.5 * logvar).exp() * epsilon;
}

}  // namespace lvtext
