// A training that differs from a finished one in its stop alone goes on from where that one ended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "framework/checkpoint/run_folder.h"

namespace lvtext {

/// Fills an empty training folder from a finished run of the same stem (the identity without
/// `train.stop`) of at most `planned` updates, if there is one beside it: kept weights and the
/// last checkpoint with its log, each verified, so that the training resumes as if it had been one.
/// Returns the run that was taken over. A source that is damaged or lacks its checkpoint is passed
/// by.
std::optional<std::filesystem::path> take_over_shorter_run(RunFolder& folder,
                                                           const std::string& stem,
                                                           int64_t planned);

}  // namespace lvtext
