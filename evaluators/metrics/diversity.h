// Diversity of generated sentences; low values indicate collapse.
#pragma once

#include <span>
#include <string>

#include "evaluators/metrics/ngram_stats.h"

namespace lvtext {

/// Number of distinct n-grams divided by the number of n-grams, pooled over sentences (Li et al.
/// 2016), in 0..1; 0 if there is no n-gram.
double distinct_n(std::span<const TokenIds> sentences, int order);
/// Number of distinct sentences divided by the number of sentences, in 0..1; 0 without sentences.
double share_unique(std::span<const std::string> sentences);
/// Share of sentences that occur in `training`, in 0..1.
double share_copied(std::span<const std::string> sentences, std::span<const std::string> training);

}  // namespace lvtext
