// Scores that evaluators combine, as their inputs have them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/model/inputs.h"

namespace lvtext {

/// The score of an input that takes one metric of the row that is scored.
const Score& score_of_row(const Inputs& inputs, const std::string& input);
/// The scores of an input that takes one metric of several rows.
const std::vector<Score>& scores_of_rows(const Inputs& inputs, const std::string& input);

/// The fewest sentences that one of the scores has.
int64_t fewest_sentences(const std::vector<Score>& scores);

}  // namespace lvtext
