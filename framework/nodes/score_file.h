// Scores as a file: scores.jsonl.
#pragma once

#include <string>
#include <vector>

#include "framework/statistics/score.h"

namespace lvtext {

/// One line of JSON for each score, its rows and resamples included; the first names the schema.
std::string scores_text(const std::vector<Score>& scores);
/// Reads one of these lines.
Score read_score(const std::string& line);

}  // namespace lvtext
