// Exact t-SNE: an embedding of points in the plane that preserves neighborhoods (van der Maaten and
// Hinton 2008, "Visualizing data using t-SNE"). All pairs are computed, without tree or grid
// approximations: time and memory are O(N^2).
//
//   const auto plane = tsne(points, n, {.perplexity = 30}, tsne_start(n, seed));
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lvtext {

/// Options of tsne(). Fixed: exaggeration 12 and momentum 0.5 for 250 iterations, then no
/// exaggeration and momentum 0.8; gains per coordinate (+0.2, x0.8, at least 0.01), which are reset
/// for the second part, as in scikit-learn: the final KL is slightly lower than without the reset.
struct TsneOptions {
  double perplexity = 30;  ///< effective number of neighbors of a point, below N
  int64_t iterations = 1000;
  double learning_rate = 200;
};

/// Similarities of the points in the input space.
struct Similarities {
  std::vector<double> precisions;  ///< beta of each point's kernel exp(-beta d^2), [N]
  /// p_ij = (p_j|i + p_i|j) / 2N, at least 1e-12, for i < j in row-major order, [N (N - 1) / 2].
  /// Their sum is 1/2, except for the effect of the lower bound.
  std::vector<double> pairs;
};

/// Computes the similarities of `points` ([N, Z], row-major), N at least 2. Each precision is found
/// by bisection in at most 100 steps, so that the entropy of p_j|i is ln(perplexity). For a point
/// with at least `perplexity` duplicates no precision satisfies this; the last one gives a uniform
/// p over the duplicates.
Similarities similarities(std::span<const double> points, int64_t n, double perplexity);

/// Returns KL(P || Q) in nats of an embedding [N, 2], with q_ij proportional to
/// 1 / (1 + |y_i - y_j|^2).
double tsne_divergence(const Similarities& p, std::span<const double> embedding);

/// Its gradient, [N, 2], with P multiplied by `exaggeration`. Bitwise independent of the number of
/// threads.
std::vector<double> tsne_gradient(const Similarities& p, std::span<const double> embedding,
                                  double exaggeration = 1);

/// Initial coordinates, [N, 2], drawn from N(0, 1e-4^2); a function of the seed.
std::vector<double> tsne_start(int64_t n, int64_t seed);

/// Computes the embedding [N, 2] of `points` [N, Z] by gradient descent from `start` [N, 2]. Uses
/// LibTorch's threads; the result does not depend on their number.
std::vector<double> tsne(std::span<const double> points, int64_t n, const TsneOptions& options,
                         std::vector<double> start);

}  // namespace lvtext
