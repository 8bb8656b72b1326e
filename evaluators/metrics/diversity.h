// Diversity of generated sentences; low values indicate collapse.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "evaluators/metrics/ngram_stats.h"

namespace lvtext {

/// What the number of distinct n-grams is divided by.
enum class DistinctOver { kNgrams, kUnits };

/// Number of distinct n-grams divided by the number of n-grams (Li et al. 2016) or of tokens,
/// pooled over sentences, in 0..1; NaN if that is 0. No n-gram contains tokens of two sentences.
double distinct_n(std::span<const TokenIds> sentences, int order,
                  DistinctOver over = DistinctOver::kNgrams);
/// The same of each sentence alone; 0 for a sentence without n-grams or tokens.
std::vector<double> distinct_n_values(std::span<const TokenIds> sentences, int order,
                                      DistinctOver over);
/// Number of distinct tokens of all sentences.
int64_t distinct_types(std::span<const TokenIds> sentences);
/// One value per sentence. Their mean is the number of distinct sentences divided by the number of
/// sentences, in 0..1; the variance of their mean is the jackknife's estimate for that share, whose
/// expectation is not below the true variance (Efron and Stein 1981). A bootstrap of the sentences
/// would be biased, because resamples repeat sentences. With n sentences, D distinct ones and S
/// that occur once, the value is (D - S) / n, plus 1 for a sentence that occurs once.
std::vector<double> distinct_values(std::span<const std::string> sentences);
/// 1 for each sentence that occurs in `training`, 0 for others.
std::vector<double> train_overlap_values(std::span<const std::string> sentences,
                                         std::span<const std::string> training);

}  // namespace lvtext
