#include "models/latent.h"

#include <utility>

#include "framework/core/tensor/products.h"
#include "framework/core/tensor/shape.h"
#include "losses/kl.h"
#include "losses/sphere.h"

namespace lvtext {
namespace {

at::Tensor epsilon(const NoiseKey& key, const at::Tensor& example_ids, const at::Tensor& z) {
  return normal(key, example_ids, {z.size(1)}, z.options().requires_grad(false));
}

}  // namespace

at::Tensor Latent::sample_prior(const at::Tensor& example_ids, const NoiseKey& key,
                                const at::TensorOptions& options) const {
  return normal(key, example_ids, {size_}, options);
}

GaussianLatent::GaussianLatent(const ModuleScope& scope, int64_t state, int64_t size,
                               const std::string& mean_name)
    : Latent(size),
      to_mean_(scope.add<Linear>(mean_name, state, size)),
      to_logvar_(scope.add<Linear>("to_logvar", state, size)) {}

Posterior GaussianLatent::posterior(const at::Tensor& states) const {
  LVT_CHECK_SHAPE(states, {-1, to_mean_->weight().size(1)});
  // Full precision: near posterior collapse the rounding error of reduced-precision products would
  // exceed the KL.
  const MixedPrecisionScope full(false);
  return {to_mean_->forward(states), to_logvar_->forward(states)};
}

at::Tensor GaussianLatent::draw(const Posterior& posterior, const at::Tensor& example_ids,
                                StepContext& context) {
  return sample(posterior, example_ids, context.noise("posterior"));
}

at::Tensor GaussianLatent::sample(const Posterior& posterior, const at::Tensor& example_ids,
                                  const NoiseKey& key) const {
  LVT_CHECK_SHAPE(posterior.mean, {example_ids.size(0), size()});
  return reparameterize(posterior.mean, posterior.logvar,
                        epsilon(key, example_ids, posterior.mean));
}

DeterministicLatent::DeterministicLatent(const ModuleScope& scope, int64_t state, int64_t size)
    : Latent(size == 0 ? state : size),
      to_latent_(size == 0 ? nullptr : scope.add<Linear>("to_latent", state, size)) {}

Posterior DeterministicLatent::posterior(const at::Tensor& states) const {
  LVT_CHECK_SHAPE(states, {-1, to_latent_ ? to_latent_->weight().size(1) : size()});
  return {to_latent_ ? to_latent_->forward(states) : states};
}

at::Tensor DeterministicLatent::draw(const Posterior& posterior, const at::Tensor&, StepContext&) {
  return posterior.mean;
}

at::Tensor DeterministicLatent::sample(const Posterior& posterior, const at::Tensor&,
                                       const NoiseKey&) const {
  return posterior.mean;
}

SphereLatent::SphereLatent(const ModuleScope& scope, int64_t state, int64_t size, SphereNoise noise)
    : Latent(size == 0 ? state : size),
      to_latent_(size == 0 ? nullptr : scope.add<Linear>("to_latent", state, size)),
      noise_(std::move(noise)) {
  if (noise_.initial > 0) last_deviation_ = scope.buffer("noise", at::full({}, noise_.initial));
}

Posterior SphereLatent::posterior(const at::Tensor& states) const {
  LVT_CHECK_SHAPE(states, {-1, to_latent_ ? to_latent_->weight().size(1) : size()});
  return {sphere_normalize(to_latent_ ? to_latent_->forward(states) : states)};
}

at::Tensor SphereLatent::draw(const Posterior& posterior, const at::Tensor& example_ids,
                              StepContext& context) {
  if (noise_.initial == 0) return posterior.mean;
  const at::Tensor deviation = context.value(noise_.deviation);
  last_deviation_.fill_(deviation);
  return add_noise(posterior.mean, deviation,
                   epsilon(context.noise("posterior"), example_ids, posterior.mean));
}

at::Tensor SphereLatent::sample(const Posterior& posterior, const at::Tensor& example_ids,
                                const NoiseKey& key) const {
  LVT_CHECK_SHAPE(posterior.mean, {example_ids.size(0), size()});
  if (noise_.initial == 0) return posterior.mean;
  return add_noise(posterior.mean, last_deviation_, epsilon(key, example_ids, posterior.mean));
}

at::Tensor SphereLatent::sample_prior(const at::Tensor& example_ids, const NoiseKey& key,
                                      const at::TensorOptions& options) const {
  return uniform_sphere(key, example_ids, size(), options);
}

}  // namespace lvtext
