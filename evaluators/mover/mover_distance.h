// Word mover's distance of two texts whose tokens are vectors.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "evaluators/metrics/transport.h"

namespace lvtext {

/// The tokens of a text: vectors [n, D] float64 on the CPU, and their weights.
struct WeightedVectors {
  at::Tensor vectors;
  std::vector<double> weights;
};

/// Vectors of tokens from several layers [L, n, D]: each vector is divided by its norm, then the
/// minimum, mean and maximum of each coordinate over the layers are concatenated, [n, 3 D]
/// (Zhao et al. 2019, with the power means of Rücklé et al. 2018). Float64.
at::Tensor layer_features(const at::Tensor& layers);

/// The runs of `length` consecutive tokens, of all tokens of a shorter text: weighted means of
/// their vectors, divided by their norm plus 1e-6; the weight of a run is the sum of those of its
/// tokens.
WeightedVectors token_runs(const WeightedVectors& tokens, int64_t length);

/// The cost of moving the weights of one text to those of the other, each divided by its sum, where
/// a unit costs the Euclidean distance of the vectors or, if `squared`, its square. NaN if all
/// weights of a text are 0.
double mover_distance(const WeightedVectors& from, const WeightedVectors& to, bool squared,
                      Transport& transport);

}  // namespace lvtext
