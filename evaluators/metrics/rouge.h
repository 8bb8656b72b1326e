// ROUGE-N (Lin 2004) of single pairs with clipped counts, times 100; no stemming.
#pragma once

#include <span>
#include <vector>

#include "evaluators/metrics/ngram_stats.h"

namespace lvtext {

/// ROUGE-N of one pair, each in 0..100.
struct Rouge {
  double recall = 0;
  double precision = 0;
  double f1 = 0;
};

/// Computes ROUGE-N from one pair's counts. If the reference has fewer than `order` tokens and thus
/// no n-gram, all three are 100 if the hypothesis equals it, otherwise 0.
Rouge rouge_n(const NgramStats& pair, int order);

/// Mean of ROUGE-1, -2 and -3 F1 of one pair.
double rouge123_f(const NgramStats& pair);

/// Score of each pair, for means and bootstrap intervals.
std::vector<double> rouge_n_f(std::span<const NgramStats> pairs, int order);
std::vector<double> rouge_n_recall(std::span<const NgramStats> pairs, int order);
std::vector<double> rouge123_f(std::span<const NgramStats> pairs);

}  // namespace lvtext
