// F1 of the tokens that a hypothesis shares with its reference.
#pragma once

#include <span>
#include <vector>

#include "framework/core/text/token_ids.h"

namespace lvtext {

/// F1 in 0..1 of precision m / |hypothesis| and recall m / |reference|, where m counts each token
/// as often as it occurs in both; 0 without a common token. Each side may be empty.
double token_f1(std::span<const int32_t> hypothesis, std::span<const int32_t> reference);

/// As token_f1(), but m is the number of tokens of the hypothesis that occur in the reference, each
/// repetition included: precision <= 1, but recall and F1 may be above 1. The form of the released
/// script of Martins, Marinho and Martins 2020.
double unclipped_token_f1(std::span<const int32_t> hypothesis, std::span<const int32_t> reference);

}  // namespace lvtext
