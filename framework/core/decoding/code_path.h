// Interpolation between two latent vectors.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lvtext {

/// Points on the way from code `a` to code `b` ([Z] each): [steps, Z], the ends included. On the
/// unit sphere the shorter arc at equal angles (of the many between opposite points, one of them),
/// else the straight line. `steps` is at least 2.
at::Tensor codes_between(const at::Tensor& a, const at::Tensor& b, int64_t steps,
                         bool on_unit_sphere);

}  // namespace lvtext
