// The Fréchet distance between two sets of vectors, each taken for a sample of a Gaussian.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lvtext {

/// |mu_1 - mu_2|^2 + Tr(S_1) + Tr(S_2) - 2 Tr((S_1 S_2)^(1/2)), in its parts.
struct FrechetDistance {
  double means = 0;  ///< |mu_1 - mu_2|^2
  double trace_1 = 0, trace_2 = 0;
  double trace_root = 0;  ///< Tr((S_1 S_2)^(1/2))

  /// The squared distance as computed: rounding may leave it slightly below 0.
  double raw() const { return means + trace_1 + trace_2 - 2 * trace_root; }
  /// The squared distance, at least 0.
  double squared() const { return raw() > 0 ? raw() : 0; }
};

/// The distance between the rows of `x` [N1, E] and `y` [N2, E] (Heusel et al. 2017), of any
/// floating type, computed in float64 with unbiased covariances of any rank. No general matrix
/// square root is taken. Throws std::logic_error unless both have one width and at least two rows.
FrechetDistance frechet_distance(const at::Tensor& x, const at::Tensor& y);

/// The squared distance that two samples of `n` vectors from one Gaussian have on average, to first
/// order in 1/n: 5/2 sum_i l_i / n + 1/n sum_ij l_i l_j / (l_i + l_j) over the eigenvalues l of its
/// covariance, here that of the rows of `x` [N, E]. Distances of about this size say nothing.
double frechet_floor(const at::Tensor& x, int64_t n);

}  // namespace lvtext
