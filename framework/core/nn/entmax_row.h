// Alpha-entmax of one row of scores on the CPU: the threshold, the support and its probabilities.
// Martins et al. 2020, "Sparse Text Generation", section 3; the algorithm is described in
// docs/design.md.
#pragma once

#include <cstdint>
#include <vector>

namespace lvtext {

/// Values of alpha for which entmax is computed: at least 1 (softmax), at most 4. Above, float32
/// scores no longer determine the probabilities near the threshold.
inline constexpr double kMinAlpha = 1, kMaxAlpha = 4;
/// Below this alpha, entmax is computed as softmax.
inline constexpr double kSoftmaxAlpha = 1 + 1e-6;

/// The solution of one row: p_i = max(0, 1 + (alpha - 1) (z_i - c))^(1 / (alpha - 1)), sum p = 1.
struct EntmaxSolution {
  double threshold = 0;  ///< c; the logarithm of the normalizer for alpha -> 1
  /// Sum of p^alpha, from values of p that were not divided by their sum: with these an error of c
  /// enters the loss only squared.
  double power_sum = 0;
  double squares = 0;   ///< sum of p^2
  int64_t support = 0;  ///< number of scores with p > 0
};

/// Computes entmax of rows of `T` (float or double) for one alpha in (1, 4]. An instance holds the
/// workspace of one thread; the results stay valid until the next call.
template <typename T>
class EntmaxRow {
 public:
  /// For rows of at most `vocabulary` scores.
  EntmaxRow(double alpha, int64_t vocabulary);

  /// Solves the row `scores` [count]. Scores of -infinity have probability 0. A row with one score
  /// of +infinity is one-hot; a row without a finite maximum otherwise, or with a NaN, has the
  /// probability NaN at its first position and a NaN threshold.
  EntmaxSolution solve(const T* scores, int64_t count);
  /// Positions of the support in increasing order, [EntmaxSolution::support].
  const int32_t* positions() const { return positions_.data(); }
  /// Their probabilities, divided by their sum.
  const T* probabilities() const { return values_.data(); }
  /// Entmax loss of a target with the score `score`: c - z - (1 - sum p^alpha) / alpha, at least 0
  /// up to rounding. (Paper, eq. 4, in terms of c; free of cancellation for scores of any size.)
  double loss(const EntmaxSolution& solution, T score) const;

 private:
  EntmaxSolution solve_not_finite(const T* scores, int64_t count, bool ordered);
  double threshold_of_maxima(int64_t blocks, T maximum);
  void select(const T* scores, int64_t count, T maximum, double least);
  int64_t padded() const;
  void pad();
  double newton(double shift, double tolerance);
  double bisection();
  void finish(double shift, EntmaxSolution& solution);

  double alpha_, slope_, exponent_;  ///< slope: alpha - 1; exponent: 1 / slope
  int power_ = 0;  ///< the exponent if it is an integer of at most 10, otherwise 0
  int64_t candidates_ = 0;
  std::vector<T> maxima_;  ///< maxima of blocks of scores
  std::vector<T> scores_;  ///< scores of the candidates, minus the maximum
  std::vector<int32_t> positions_;
  std::vector<T> values_;
};

}  // namespace lvtext
