// Scores as a file: scores.jsonl.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/statistics/score.h"

namespace lvtext {

/// The file of a node that scores.
inline constexpr const char* kScoresFile = "scores.jsonl";

/// One line of JSON for each score, its rows and resamples included; the first names the schema.
std::string scores_text(const std::vector<Score>& scores);
/// Reads one of these lines.
Score read_score(const std::string& line);

/// The scores of a finished node, in the evaluator's order, rows included; `step`: of a kept
/// checkpoint, where each was scored.
std::vector<Score> read_scores(const std::filesystem::path& folder,
                               std::optional<int64_t> step = std::nullopt);

}  // namespace lvtext
