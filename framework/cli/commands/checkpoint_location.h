// Resolves folders and runs on the command line to checkpoints.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lvtext {

class Session;

/// Help text of these arguments.
inline constexpr const char* kCheckpointHelp =
    "a folder of a checkpoint, or a RUN (`lvtext help runs show`) for its selected weights";

/// The checkpoints that `words` name: folders or runs, which are found as find_model() finds them.
/// That of a finished training are the selected weights, of an unfinished one the newest
/// checkpoint, of a folder of checkpoints the newest; of another folder it is the folder itself,
/// which is checked when it is read. Throws UsageError unless there are `least` to `most`,
/// MissingError for a name of nothing, DataError for a run that is not a training.
std::vector<std::filesystem::path> checkpoints_of(const std::vector<std::string>& words,
                                                  size_t least, size_t most, Session& session);
/// The only checkpoint that `words` name.
std::filesystem::path checkpoint_of(const std::vector<std::string>& words, Session& session);

}  // namespace lvtext
