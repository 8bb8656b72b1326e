// Resolves a folder on the command line to a checkpoint.
#pragma once

#include <filesystem>

namespace lvtext {

/// The checkpoint of a folder: for a finished training the selected weights, for an unfinished one
/// its newest checkpoint, for a folder of checkpoints the newest; else the folder itself, which is
/// checked when it is read. Throws MissingError if there is no such folder.
std::filesystem::path checkpoint_of(const std::filesystem::path& given);

}  // namespace lvtext
