// Interpolated n-gram probabilities with Kneser-Ney discounting of one text.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <span>
#include <vector>

namespace lvtext {

/// For a history h of n - 1 tokens, with c the counts of n-grams, d the discount and N(h) the
/// number of different tokens after h:
///   p_n(w | h) = (max(c(h w) - d, 0) + d N(h) p_{n-1}(w | h without its first token)) / c(h)
/// and p_n(w | h) = p_{n-1} for an h that the text does not have. In lower orders c(h w) is the
/// number of different tokens before h w; the lowest order is interpolated with 1 / V (Chen and
/// Goodman 1999, equations 4.31 to 4.37; interpolated, one discount). All probabilities are
/// positive and add up to 1. Immutable after count(); thread-safe.
class Ngrams : public torch::nn::Module {
 public:
  /// Throws ConfigError if `order` tokens of a vocabulary of `vocabulary` ids do not fit into 64
  /// bits.
  Ngrams(int64_t order, int64_t vocabulary, double discount);

  /// Counts a running text. Throws DataError if it is shorter than an n-gram.
  void count(std::span<const int32_t> text);

  /// Adds `weight` times the probabilities of all tokens after `history` to `row` [V]. Of the
  /// history the last n - 1 tokens are used, or all of a shorter one, with a lower order.
  void add_row(std::span<const int32_t> history, float weight, float* row) const;
  /// The probability of one token.
  double probability(std::span<const int32_t> history, int32_t token) const;

 private:
  /// The n-grams of one order n, by history.
  struct Level {
    at::Tensor histories;  ///< [H] int64, sorted: n - 1 tokens of bits_ bits
    at::Tensor offsets;    ///< [H + 1] int64: the first n-gram of each history
    at::Tensor tokens;     ///< [E] int32, sorted for each history
    at::Tensor shares;     ///< [E] float32: max(c(h w) - d, 0) / c(h)
    at::Tensor lower;      ///< [H] float32: d N(h) / c(h), the weight of the lower order
  };
  /// A history that the text has.
  struct Found {
    const Level* level;
    int64_t index;
  };

  /// The histories of order 2, 3, ... that the text has.
  std::vector<Found> find(std::span<const int32_t> history) const;
  /// Fills the level of an order from its n-grams (keys, sorted) and their counts.
  void fill(Level& level, const std::vector<uint64_t>& ngrams,
            const std::vector<int64_t>& counts) const;

  int64_t order_, vocabulary_, bits_;
  double discount_;
  at::Tensor unigrams_;        // [V]
  std::vector<Level> levels_;  // of the orders from 2
};

}  // namespace lvtext
