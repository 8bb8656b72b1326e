// Files in a folder of runs that are no longer needed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lvtext {

/// A file or folder that no finished run needs.
struct Leftover {
  std::filesystem::path path;  ///< file or folder to remove
  std::filesystem::path run;   ///< the run's folder, which is locked during removal
  std::string reason;
  uint64_t bytes = 0;
  std::optional<int64_t> step = {};  ///< for weights listed in the run's manifest
};

/// Finds leftovers in `runs`: unfinished runs without a live process, empty folders, and, in
/// finished runs, checkpoints for resuming, weights kept until they are scored, and partial files
/// of killed processes. Folders owned by a live process are excluded.
std::vector<Leftover> find_leftovers(const std::filesystem::path& runs);

/// Removes a leftover. Returns false if a live process owns its run or has finished it in the
/// meantime. Throws an io_error if it cannot be removed.
bool remove_leftover(const Leftover& leftover);

/// Removes a run's folder, its manifest first, so that a partly removed run is never taken for a
/// finished one. Throws Interrupted if a live process owns it, or an io_error.
void remove_run(const std::filesystem::path& folder);

}  // namespace lvtext
