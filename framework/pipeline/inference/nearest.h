// Nearest-neighbor search among latent vectors.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace lvtext {

/// A neighbor of a sentence.
struct Neighbor {
  int64_t sentence = 0;  ///< index in the text, from 0
  double distance = 0;   ///< 1 - cosine on the unit sphere, else Euclidean
};

/// The `count` rows of `latents` ([N, Z] float64 on the CPU) nearest to row `from`, excluding it,
/// nearest first; ties are ordered by row.
std::vector<Neighbor> nearest_rows(const at::Tensor& latents, int64_t from, int64_t count,
                                   bool on_unit_sphere);

}  // namespace lvtext
