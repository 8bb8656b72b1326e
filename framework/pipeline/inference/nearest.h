// Nearest neighbors among latent vectors.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace lvtext {

/// A sentence near another one.
struct Neighbor {
  int64_t sentence = 0;  ///< its place in the text, from 0
  double distance = 0;   ///< 1 - cosine on the unit sphere, else Euclidean
};

/// The `count` rows of `codes` ([N, Z] float64 on the CPU) nearest to row `from`, which is left
/// out, nearest first; the lower row first where distances are equal.
std::vector<Neighbor> nearest_rows(const at::Tensor& latents, int64_t from, int64_t count,
                                   bool on_unit_sphere);

}  // namespace lvtext
