// Sufficient statistics of BLEU and ROUGE, one set for each pair of sentences.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "framework/core/text/token_ids.h"

namespace lvtext {

/// The longest n-gram that is counted.
inline constexpr int kMaxNgramOrder = 5;

/// Counts of one pair, or their sums over pairs. Index n - 1 holds order n.
struct NgramStats {
  /// n-grams of the hypothesis that the reference has, each clipped to its count there (with
  /// several references: to the largest count in one of them).
  std::array<int64_t, kMaxNgramOrder> matches{};
  std::array<int64_t, kMaxNgramOrder> hypothesis{};
  /// Those of the first reference.
  std::array<int64_t, kMaxNgramOrder> reference{};
  int64_t hypothesis_length = 0;
  /// With several references the one nearest to the hypothesis's, the shorter of two.
  int64_t reference_length = 0;
  /// Pairs whose hypothesis equals a reference.
  int64_t identical = 0;

  NgramStats& operator+=(const NgramStats& other);
};

/// Counts orders 1 to `orders` (at most kMaxNgramOrder). Exact for all lengths: n-grams are told
/// apart by themselves, never by a hash of them.
NgramStats ngram_stats(std::span<const int32_t> hypothesis, std::span<const int32_t> reference,
                       int orders);
/// The same against at least one reference.
NgramStats ngram_stats(std::span<const int32_t> hypothesis, std::span<const TokenIds> references,
                       int orders);

/// The statistics of aligned sentences, by `threads` threads (0: as many as there are processors).
/// Throws DataError if the numbers of sentences differ.
std::vector<NgramStats> ngram_stats_of_pairs(std::span<const TokenIds> hypotheses,
                                             std::span<const TokenIds> references, int orders,
                                             int threads = 0);
/// The same with a group of references for each hypothesis.
std::vector<NgramStats> ngram_stats_of_groups(std::span<const TokenIds> hypotheses,
                                              std::span<const std::vector<TokenIds>> references,
                                              int orders, int threads = 0);

/// Throws DataError if there are not equally many sentences on both sides.
void check_aligned(size_t hypotheses, size_t references);

/// The sum over pairs.
NgramStats total(std::span<const NgramStats> pairs);

}  // namespace lvtext
