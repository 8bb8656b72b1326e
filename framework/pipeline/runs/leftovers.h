// Finds and removes files in a folder of runs that are no longer needed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lvtext {

/// A file or folder that no finished run needs.
struct Leftover {
  std::filesystem::path path;  ///< what to remove
  std::filesystem::path run;   ///< the run's folder, locked during removal
  std::string reason;
  uint64_t bytes = 0;
  std::optional<int64_t> step = {};  ///< set for kept weights, which the run's manifest lists
};

/// Below `runs`: interrupted and failed runs, folders of runs that were never started, and in
/// finished runs the checkpoints to resume from, weights that were kept until scored, and partial
/// files of killed processes. Excludes everything that a live process owns.
std::vector<Leftover> find_leftovers(const std::filesystem::path& runs);

/// Removes a leftover. False if a live process owns its run or the run is finished by now. Throws
/// an io_error if removal fails.
bool remove_leftover(const Leftover& leftover);

/// Removes a run's folder, manifest.json first, so that a partly removed run never counts as
/// finished. Throws Interrupted if a live process owns it, or an io_error.
void remove_run(const std::filesystem::path& folder);

}  // namespace lvtext
