// Fréchet distance between Gaussians fitted to two sets of vectors.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lvtext {

/// Terms of |mu_1 - mu_2|^2 + Tr(S_1) + Tr(S_2) - 2 Tr((S_1 S_2)^(1/2)).
struct FrechetDistance {
  double means = 0;  ///< |mu_1 - mu_2|^2
  double trace_1 = 0, trace_2 = 0;
  double trace_root = 0;  ///< Tr((S_1 S_2)^(1/2))

  /// The squared distance as computed; may be slightly negative because of rounding.
  double raw() const { return means + trace_1 + trace_2 - 2 * trace_root; }
  /// The squared distance, at least 0.
  double squared() const { return raw() > 0 ? raw() : 0; }
};

/// Computes the distance between the rows of `x` [N1, E] and `y` [N2, E] (Heusel et al. 2017), of
/// any floating type, in float64, with unbiased covariances of any rank and without a general
/// matrix square root. Throws std::logic_error unless both have the same width and at least two
/// rows.
FrechetDistance frechet_distance(const at::Tensor& x, const at::Tensor& y);

/// Expected squared distance between two samples of `n` vectors from the same Gaussian, to first
/// order in 1/n: 5/2 sum_i l_i / n + 1/n sum_ij l_i l_j / (l_i + l_j) over the eigenvalues l of its
/// covariance, here that of the rows of `x` [N, E]. Distances of this size are not significant.
double frechet_floor(const at::Tensor& x, int64_t n);

}  // namespace lvtext
