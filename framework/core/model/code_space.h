// Geometry of a model's latent space, for interpolation and nearest neighbors.
#pragma once

namespace lvtext {

/// A capability like those of framework/core/model/capabilities.h. Codes of a model without it may
/// be any vectors.
class CodeSpace {
 public:
  virtual ~CodeSpace() = default;
  /// True if every code is a unit vector: the way between two of them is an arc of the sphere.
  virtual bool on_unit_sphere() const = 0;
};

/// True if every code of a model, of whatever class, is a unit vector.
template <class Model>
bool codes_on_unit_sphere(const Model& model) {
  const auto* space = dynamic_cast<const CodeSpace*>(&model);
  return space != nullptr && space->on_unit_sphere();
}

}  // namespace lvtext
