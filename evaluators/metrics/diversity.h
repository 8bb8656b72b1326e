// How varied generated sentences are; low values show collapsed models.
#pragma once

#include <span>
#include <string>

#include "evaluators/metrics/ngram_stats.h"

namespace lvtext {

/// Distinct n-grams over all n-grams of all sentences (Li et al. 2016, pooled), in 0..1; 0 if there
/// is no n-gram.
double distinct_n(std::span<const TokenIds> sentences, int order);
/// Distinct texts over sentences, in 0..1; 0 without sentences.
double share_unique(std::span<const std::string> sentences);
/// Share of sentences whose text is one of `training`, in 0..1.
double share_copied(std::span<const std::string> sentences, std::span<const std::string> training);
/// Mean number of tokens; 0 without sentences.
double mean_length(std::span<const TokenIds> sentences);

}  // namespace lvtext
