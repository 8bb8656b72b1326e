// Stratified folds, and the rule by which SentEval stops a training.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <limits>

namespace lvtext {

/// Fold of each row, [N] int64 in [0, folds): the rows of each class, in a random order, are dealt
/// to the folds in turn, so that both the rows and those of a class differ by at most one between
/// folds. `classes` [N] int64. Deterministic for a seed.
at::Tensor stratified_folds(const at::Tensor& classes, int64_t folds, uint64_t seed);

/// True for a random share of the rows of `among` ([N] bool), [N] bool: at least one.
at::Tensor random_share(const at::Tensor& among, double share, uint64_t seed);

/// SentEval's early stop. Evaluations without improvement are counted over the whole training; one
/// that finds the count at the tenacity ends it.
class EarlyStop {
 public:
  explicit EarlyStop(int64_t tenacity) : tenacity_(tenacity) {}
  /// Adds an evaluation; returns whether it is the best so far.
  bool add(double value);
  bool is_over() const { return is_over_; }
  double best() const { return best_; }

 private:
  int64_t tenacity_, failures_ = 0;
  bool is_over_ = false;
  double best_ = -std::numeric_limits<double>::infinity();
};

}  // namespace lvtext
