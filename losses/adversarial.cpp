#include "losses/adversarial.h"

#include "framework/core/base/error.h"
#include "framework/core/tensor/shape.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

at::Tensor discriminator_sum(const at::Tensor& real, const at::Tensor& fake) {
  LVT_CHECK_SHAPE(real, {-1});
  LVT_CHECK_SHAPE(fake, {-1});
  return at::softplus(-real).sum() + at::softplus(fake).sum();
}

at::Tensor non_saturating_sum(const at::Tensor& fake) {
  LVT_CHECK_SHAPE(fake, {-1});
  return at::softplus(-fake).sum();
}

at::Tensor discriminator_accuracy(const at::Tensor& real, const at::Tensor& fake) {
  LVT_CHECK_SHAPE(real, {-1});
  LVT_CHECK_SHAPE(fake, {-1});
  return at::cat({real > 0, fake < 0}).to(real.scalar_type()).mean();
}

at::Tensor interpolated(const at::Tensor& real, const at::Tensor& fake, const at::Tensor& alpha) {
  LVT_ASSERT(real.dim() >= 2 && real.sizes() == fake.sizes(),
             "real and fake must be [B, ...] of equal shape");
  LVT_CHECK_SHAPE(alpha, {real.size(0), 1});
  std::vector<int64_t> shape(static_cast<size_t>(real.dim()), 1);
  shape[0] = real.size(0);
  const at::Tensor share = alpha.view(shape);
  return share * real + (1 - share) * fake;
}

at::Tensor points_between(const at::Tensor& real, const at::Tensor& fake, const at::Tensor& alpha) {
  return interpolated(real, fake, alpha).detach().requires_grad_();
}

at::Tensor gradient_penalty_sum(const at::Tensor& scores, const at::Tensor& points) {
  LVT_ASSERT(points.dim() >= 2, "points must be [B, ...]");
  LVT_CHECK_SHAPE(scores, {points.size(0)});
  const at::Tensor slopes = torch::autograd::grad({scores.sum()}, {points}, {},
                                                  /*retain_graph=*/true, /*create_graph=*/true)[0];
  return (slopes.flatten(1).norm(2, {1}) - 1).square().sum();
}

at::Tensor mean_row_norm(const at::Tensor& gradient) {
  LVT_CHECK_SHAPE(gradient, {-1, -1});
  return gradient.norm(2, {1}).mean();
}

at::Tensor latent_gradient(const at::Tensor& gradient, const at::Tensor& size, double weight) {
  LVT_CHECK_SHAPE(size, {});
  return gradient * (-weight * size / mean_row_norm(gradient).clamp_min(1e-12));
}

}  // namespace lvtext
