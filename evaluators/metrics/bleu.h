// BLEU (Papineni et al. 2002) without smoothing, times 100.
#pragma once

#include <span>
#include <vector>

#include "evaluators/metrics/ngram_stats.h"

namespace lvtext {

/// BLEU-N in 0..100: the geometric mean of the clipped precisions of orders 1..`orders` times the
/// brevity penalty (1 if the hypothesis is longer than the reference, else exp(1 - ref/hyp)). 0 if
/// an order has no match or the hypothesis is empty. Of one pair's counts it is the sentence's
/// BLEU, of summed counts the corpus's.
double bleu(const NgramStats& stats, int orders);

/// Corpus BLEU-N: counts are summed over all pairs first.
double corpus_bleu(std::span<const NgramStats> pairs, int orders);

/// Each sentence's BLEU-N; 0 for those of fewer than N tokens.
std::vector<double> sentence_bleu(std::span<const NgramStats> pairs, int orders);

/// The counts that BLEU-N needs as a row of doubles, for the bootstrap: matches and hypothesis
/// n-grams of each order, then the two lengths: 2 * orders + 2 numbers for each pair, row-major.
/// penalized_precision() of a sum of such rows is BLEU-N.
std::vector<double> bleu_rows(std::span<const NgramStats> pairs, int orders);

}  // namespace lvtext
