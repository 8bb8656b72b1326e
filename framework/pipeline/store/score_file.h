// The file scores.jsonl.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/statistics/score.h"

namespace lvtext {

/// Output file of a scoring node.
inline constexpr const char* kScoresFile = "scores.jsonl";

/// One JSON line per score, with its rows and resamples; the first line names the schema.
std::string scores_text(const std::vector<Score>& scores);
/// Reads one of these lines.
Score read_score(const nlohmann::json& line);

/// The scores of a finished node with their rows, in the evaluator's order; `step`: those of a kept
/// checkpoint, if each was scored.
std::vector<Score> read_scores(const std::filesystem::path& folder,
                               std::optional<int64_t> step = std::nullopt);

}  // namespace lvtext
