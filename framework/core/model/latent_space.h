// Geometry of a model's latent space, for interpolation between latent vectors.
#pragma once

namespace lvtext {

/// A capability like those of framework/core/model/capabilities.h. Latent vectors of models without
/// it are unconstrained.
class LatentSpace {
 public:
  virtual ~LatentSpace() = default;
  /// True if every latent vector has unit norm, so that interpolation follows an arc of the sphere.
  virtual bool on_unit_sphere() const = 0;
};

/// True if `model` implements LatentSpace and its latent vectors have unit norm.
template <class Model>
bool latents_on_unit_sphere(const Model& model) {
  const auto* space = dynamic_cast<const LatentSpace*>(&model);
  return space != nullptr && space->on_unit_sphere();
}

}  // namespace lvtext
