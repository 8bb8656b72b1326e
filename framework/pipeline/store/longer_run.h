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
/// run; none if there is none, or if it is damaged, has no checkpoint or did not keep the weights
/// of each `period` (empty: none are needed).
std::optional<std::filesystem::path> take_over_shorter_run(
    RunFolder& folder, const std::vector<std::filesystem::path>& finished, int64_t planned,
    const std::string& period);

/// False if a training has saved a checkpoint without having kept the weights of each `period` from
/// its start. Damaged checkpoints are not judged.
bool keeps_from_start(const std::filesystem::path& checkpoints, const std::string& period);

}  // namespace lvtext
