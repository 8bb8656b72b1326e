// The nodes that stand in a folder of runs, and the index that spares reading each of them.
#pragma once

#include <filesystem>
#include <vector>

#include "framework/cli/run_scan.h"

namespace lvtext {

/// Every node below `runs`, by folder name; empty if there is no such folder. Other folders are
/// ignored. Finished nodes come from `runs`/index.sqlite as long as their files are those that it
/// has seen; everything else is read, and what is new is written to the index. The index is never
/// the truth: one that is damaged or of another version is made again (with a line in the log), and
/// where it cannot be written the folders alone are read. Never throws because of the index.
std::vector<FoundRun> find_runs(const std::filesystem::path& runs);

/// Throws the index away and makes it again from the folders. Throws an io_error if it cannot be
/// written.
std::vector<FoundRun> reindex_runs(const std::filesystem::path& runs);

}  // namespace lvtext
