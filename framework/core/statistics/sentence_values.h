// The value of a score on each sentence alone.
#pragma once

#include <vector>

#include "framework/core/statistics/score.h"

namespace lvtext {

/// The functional of each row alone: the score of each sentence. NaN where it is undefined. Empty
/// if there are no rows.
std::vector<double> sentence_values(const SentenceRows& rows);

}  // namespace lvtext
