// Resumes a training from a finished run that differs only in `stop`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "framework/core/checkpoint/run_folder.h"

namespace lvtext {

/// Copies the longest of `finished` (runs with the same stem, the identity without `train.stop`)
/// with at most `planned` updates into an empty training folder: kept weights and the last
/// checkpoint with its log, verified, so that the training resumes as one run. Returns the copied
/// run; none if there is none, or if it is damaged or has no checkpoint.
std::optional<std::filesystem::path> take_over_shorter_run(
    RunFolder& folder, const std::vector<std::filesystem::path>& finished, int64_t planned);

}  // namespace lvtext
