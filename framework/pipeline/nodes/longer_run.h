// Resumes a training from a finished run that differs only in `stop`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "framework/core/checkpoint/run_folder.h"

namespace lvtext {

/// Fills an empty training folder from the longest of `finished` (runs of the same stem: the
/// identity without `train.stop`) that has at most `planned` updates: kept weights and the last
/// checkpoint with its log, each verified, so that the training resumes as if it had been one.
/// Returns the run that was taken over; none if there is none, or if it is damaged or lacks its
/// checkpoint.
std::optional<std::filesystem::path> take_over_shorter_run(
    RunFolder& folder, const std::vector<std::filesystem::path>& finished, int64_t planned);

}  // namespace lvtext
