// t-SNE, exact: points of many dimensions laid out in the plane so that neighbors stay neighbors
// (van der Maaten and Hinton 2008, "Visualizing data using t-SNE"). All pairs are computed, without
// the tree or grid approximations of large sets: time and memory grow with N^2.
//
//   const auto plane = tsne(points, n, {.perplexity = 30}, tsne_start(n, seed));
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lvtext {

/// What a person may set. The rest is usual: exaggeration 12 and momentum 0.5 for 250 iterations,
/// then none and 0.8; gains of each coordinate (+0.2, x0.8, at least 0.01), which start anew with
/// the second part, as in scikit-learn: that ends a little lower than going on with the old ones.
struct TsneOptions {
  double perplexity = 30;  ///< effective number of neighbors of a point, below N
  int64_t iterations = 1000;
  double learning_rate = 200;
};

/// How close the points are to each other, in their own space.
struct Similarities {
  std::vector<double> precisions;  ///< beta of each point's kernel exp(-beta d^2), [N]
  /// p_ij = (p_j|i + p_i|j) / 2N, at least 1e-12, for i < j row by row, [N (N - 1) / 2]. Their sum
  /// is 1/2, but for the floor.
  std::vector<double> pairs;
};

/// Similarities of `points` ([N, Z], row by row), N at least 2. Each precision is found by
/// bisection, so that the entropy of p_j|i is ln(perplexity); at most 100 steps. Where a point has
/// at least `perplexity` duplicates no precision reaches that: the last one gives a uniform p over
/// the duplicates.
Similarities similarities(std::span<const double> points, int64_t n, double perplexity);

/// KL(P || Q) in nats of an embedding [N, 2], q_ij proportional to 1 / (1 + |y_i - y_j|^2).
double tsne_divergence(const Similarities& p, std::span<const double> embedding);

/// Its gradient, [N, 2], with P multiplied by `exaggeration`. The same bits whatever the number of
/// threads.
std::vector<double> tsne_gradient(const Similarities& p, std::span<const double> embedding,
                                  double exaggeration = 1);

/// N(0, 1e-4^2) coordinates to start from, [N, 2], a function of the seed.
std::vector<double> tsne_start(int64_t n, int64_t seed);

/// The embedding [N, 2] of `points` [N, Z] by gradient descent from `start` [N, 2]. Uses LibTorch's
/// threads; the result does not depend on their number.
std::vector<double> tsne(std::span<const double> points, int64_t n, const TsneOptions& options,
                         std::vector<double> start);

}  // namespace lvtext
