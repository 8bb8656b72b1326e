// Which checkpoint a folder on the command line means.
#pragma once

#include <filesystem>

namespace lvtext {

/// The weights that a folder stands for: of a finished training the selected ones, of an unfinished
/// one its newest checkpoint, of a folder of checkpoints the newest; else the folder itself, which
/// reading will check. Throws MissingError if there is no such folder.
std::filesystem::path checkpoint_of(const std::filesystem::path& given);

}  // namespace lvtext
