// Sufficient statistics of BLEU and ROUGE for pairs of sentences.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "framework/core/text/token_ids.h"

namespace lvtext {

/// Maximum n-gram order.
inline constexpr int kMaxNgramOrder = 5;

/// Counts of one pair, or their sums over pairs. Index n - 1 is for order n.
struct NgramStats {
  /// n-grams of the hypothesis that occur in the reference, each clipped to its count there (with
  /// several references: to its maximum count in one of them).
  std::array<int64_t, kMaxNgramOrder> matches{};
  std::array<int64_t, kMaxNgramOrder> hypothesis{};
  /// n-grams of the first reference.
  std::array<int64_t, kMaxNgramOrder> reference{};
  int64_t hypothesis_length = 0;
  /// With several references: the length closest to the hypothesis's; of two equally close ones,
  /// the shorter.
  int64_t reference_length = 0;
  /// Number of pairs whose hypothesis equals a reference.
  int64_t identical = 0;

  NgramStats& operator+=(const NgramStats& other);
};

/// Counts orders 1 to `max_order` (at most kMaxNgramOrder). Exact for all lengths: n-grams are
/// compared themselves, not by hash.
NgramStats ngram_stats(std::span<const int32_t> hypothesis, std::span<const int32_t> reference,
                       int max_order);
/// As above, with one or more references.
NgramStats ngram_stats(std::span<const int32_t> hypothesis, std::span<const TokenIds> references,
                       int max_order);

/// Computes the statistics of aligned sentences with `threads` threads (0: one per processor).
/// Throws DataError if the numbers of sentences differ.
std::vector<NgramStats> ngram_stats_of_pairs(std::span<const TokenIds> hypotheses,
                                             std::span<const TokenIds> references, int max_order,
                                             int threads = 0);
/// As above, with a group of references for each hypothesis.
std::vector<NgramStats> ngram_stats_of_groups(std::span<const TokenIds> hypotheses,
                                              std::span<const std::vector<TokenIds>> references,
                                              int max_order, int threads = 0);

/// Throws DataError if the numbers of sentences differ.
void check_aligned(size_t hypotheses, size_t references);

/// Sum over pairs.
NgramStats total(std::span<const NgramStats> pairs);

}  // namespace lvtext
