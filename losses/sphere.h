// Latent vectors on the unit sphere: normalization, uniform samples and additive noise.
#pragma once

#include <ATen/core/Tensor.h>

#include "framework/core/tensor/philox.h"

namespace lvtext {

/// v / max(|v|, 1e-12) for each row of v [B, Z], with the L2 norm.
at::Tensor sphere_normalize(const at::Tensor& v);

/// Samples rows [B, Z] uniformly from the unit sphere, as normalized N(0, I) draws.
at::Tensor uniform_sphere(const NoiseKey& key, const at::Tensor& example_ids, int64_t width,
                          const at::TensorOptions& options);

/// z + sigma * epsilon; sigma is a scalar tensor (a schedule's value), epsilon [B, Z] is N(0, I).
at::Tensor add_noise(const at::Tensor& z, const at::Tensor& sigma, const at::Tensor& epsilon);

}  // namespace lvtext
