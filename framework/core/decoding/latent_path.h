// Interpolation between latent vectors.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lvtext {

/// Interpolates between the latent vectors `a` and `b` ([Z] each): [steps, Z], including both ends.
/// On the unit sphere along the shorter arc at equal angles (for opposite points, along one of the
/// arcs), otherwise along the straight line. `steps` must be at least 2.
at::Tensor latents_between(const at::Tensor& a, const at::Tensor& b, int64_t steps,
                           bool on_unit_sphere);

}  // namespace lvtext
