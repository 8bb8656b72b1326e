// Latent variables z of sentences: posterior, sampling in training, and prior.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/model/schedule.h"
#include "framework/core/model/step_context.h"
#include "framework/core/nn/linear.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/tensor/philox.h"

namespace lvtext {

using Modules = std::vector<std::shared_ptr<torch::nn::Module>>;

/// Parameters of q(z | x) of a batch, with graph.
struct Posterior {
  at::Tensor mean;      ///< [B, Z]
  at::Tensor logvar{};  ///< [B, Z]; undefined if the posterior has no density
};

/// A kind of latent variable. Its layers are registered in the model.
class Latent {
 public:
  virtual ~Latent() = default;
  /// Width Z.
  int64_t size() const { return size_; }
  /// The layers that map the encoder's state, for its parameter group.
  virtual Modules layers() const = 0;
  /// Computes the posterior from the encoder's states [B, S].
  virtual Posterior posterior(const at::Tensor& states) const = 0;
  /// Draws z for the decoder in training, [B, Z]. Its noise has the key "posterior".
  virtual at::Tensor draw(const Posterior& posterior, const at::Tensor& example_ids,
                          StepContext& context) = 0;
  /// One draw per sentence outside training, [B, Z].
  virtual at::Tensor sample(const Posterior& posterior, const at::Tensor& example_ids,
                            const NoiseKey& key) const = 0;
  /// One draw of p(z) per example id, [B, Z]; by default of N(0, I).
  virtual at::Tensor sample_prior(const at::Tensor& example_ids, const NoiseKey& key,
                                  const at::TensorOptions& options) const;
  /// Whether every z is a unit vector.
  virtual bool on_unit_sphere() const { return false; }

 protected:
  explicit Latent(int64_t size) : size_(size) {}

 private:
  int64_t size_;
};

/// Makes the latent variable of a model whose encoder has states of width `state`.
using LatentFactory =
    std::function<std::unique_ptr<Latent>(const ModuleScope& scope, int64_t state)>;

/// q(z | x) = N(mu, diag(exp(logvar))), p(z) = N(0, I) (Kingma and Welling 2014). Layers
/// `mean_name` and "to_logvar".
class GaussianLatent : public Latent {
 public:
  GaussianLatent(const ModuleScope& scope, int64_t state, int64_t size,
                 const std::string& mean_name);
  Modules layers() const override { return {to_mean_, to_logvar_}; }
  Posterior posterior(const at::Tensor& states) const override;
  at::Tensor draw(const Posterior& posterior, const at::Tensor& example_ids,
                  StepContext& context) override;
  at::Tensor sample(const Posterior& posterior, const at::Tensor& example_ids,
                    const NoiseKey& key) const override;

 private:
  std::shared_ptr<Linear> to_mean_, to_logvar_;
};

/// z = W s + b (layer "to_latent") or the state s itself, without noise, p(z) = N(0, I).
class DeterministicLatent : public Latent {
 public:
  /// With `size` 0, z is the state itself.
  DeterministicLatent(const ModuleScope& scope, int64_t state, int64_t size);
  Modules layers() const override { return {to_latent_}; }
  Posterior posterior(const at::Tensor& states) const override;
  at::Tensor draw(const Posterior& posterior, const at::Tensor& example_ids,
                  StepContext& context) override;
  at::Tensor sample(const Posterior& posterior, const at::Tensor& example_ids,
                    const NoiseKey& key) const override;

 private:
  std::shared_ptr<Linear> to_latent_;  // null if z is the state
};

/// Noise on spherical vectors in training: N(0, sigma_t^2 I).
struct SphereNoise {
  double initial = 0;  ///< sigma_0; 0: no noise at any time
  Schedule deviation;  ///< sigma_t
};

/// z = v / |v|, where v = W s + b (layer "to_latent") or the state s itself; in training z +
/// sigma_t epsilon. p(z) is uniform on the unit sphere. The buffer "noise" has sigma_t of the last
/// update, which sample() uses.
class SphereLatent : public Latent {
 public:
  /// With `size` 0, v is the state itself.
  SphereLatent(const ModuleScope& scope, int64_t state, int64_t size, SphereNoise noise);
  Modules layers() const override { return {to_latent_}; }
  Posterior posterior(const at::Tensor& states) const override;
  at::Tensor draw(const Posterior& posterior, const at::Tensor& example_ids,
                  StepContext& context) override;
  at::Tensor sample(const Posterior& posterior, const at::Tensor& example_ids,
                    const NoiseKey& key) const override;
  at::Tensor sample_prior(const at::Tensor& example_ids, const NoiseKey& key,
                          const at::TensorOptions& options) const override;
  bool on_unit_sphere() const override { return true; }

 private:
  std::shared_ptr<Linear> to_latent_;  // null if v is the state
  SphereNoise noise_;
  at::Tensor last_deviation_;  // [], a buffer; undefined without noise
};

}  // namespace lvtext
