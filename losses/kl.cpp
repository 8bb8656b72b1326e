#include "losses/kl.h"

#include "framework/tensor/torch.h"

namespace lvtext {

at::Tensor gaussian_kl(const at::Tensor& mu, const at::Tensor& logvar) {
  return -0.5 * (1 + logvar - mu * mu - logvar.exp()).sum(-1);
}

at::Tensor reparameterise(const at::Tensor& mu, const at::Tensor& logvar,
                          const at::Tensor& epsilon) {
  return mu + (0.5 * logvar).exp() * epsilon;
}

}  // namespace lvtext
