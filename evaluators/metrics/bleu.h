// BLEU (Papineni et al. 2002), times 100.
#pragma once

#include <span>
#include <vector>

#include "evaluators/metrics/ngram_stats.h"

namespace lvtext {

/// BLEU-N in 0..100, N = `max_order`: the geometric mean of the clipped precisions of orders 1..N
/// times the brevity penalty: 1 if the hypothesis is longer than the reference, otherwise
/// exp(1 - ref/hyp). 0 if an order has no match or the hypothesis is empty. The counts of one pair
/// give sentence BLEU, summed counts give corpus BLEU.
double bleu(const NgramStats& stats, int max_order);

/// Corpus BLEU-N, from counts summed over all pairs.
double corpus_bleu(std::span<const NgramStats> pairs, int max_order);

/// BLEU-N of each sentence; 0 for sentences of fewer than N tokens.
std::vector<double> sentence_bleu(std::span<const NgramStats> pairs, int max_order);

/// The same with 1 added to matches and n-grams of the orders 2 to N (Lin and Och 2004); 0 for an
/// empty hypothesis and without a match of order 1.
std::vector<double> smoothed_sentence_bleu(std::span<const NgramStats> pairs, int max_order);

/// The counts of BLEU-N as rows of doubles, for bootstrap resampling: matches and hypothesis
/// n-grams of each order, then the two lengths; 2 * max_order + 2 numbers per pair, row-major.
/// penalized_precision() of a sum of rows is BLEU-N.
std::vector<double> bleu_rows(std::span<const NgramStats> pairs, int max_order);

}  // namespace lvtext
