// Access to the scores in the inputs of evaluators that combine scores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/model/inputs.h"

namespace lvtext {

/// Returns the score of an input with one metric of the scored row.
const Score& score_of_row(const Inputs& inputs, const std::string& input);
/// Returns the scores of an input with one metric of several rows.
const std::vector<Score>& scores_of_rows(const Inputs& inputs, const std::string& input);

/// The signatures of the scores that another score was computed from, as the end of its own
/// signature: "|of:[bleu|n:3],[rouge|n:1]".
std::string signatures_of(const std::vector<Score>& scores);

/// Returns the minimum number of sentences among the scores.
int64_t fewest_sentences(const std::vector<Score>& scores);

}  // namespace lvtext
