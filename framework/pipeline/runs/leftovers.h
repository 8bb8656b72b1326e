// What nothing needs any more in a folder of runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lvtext {

/// Files or a folder that no finished run needs.
struct Leftover {
  std::filesystem::path path;  ///< what goes
  std::filesystem::path run;   ///< the run's folder, which is locked meanwhile
  std::string reason;
  uint64_t bytes = 0;
  std::optional<int64_t> step = {};  ///< of weights, which the run's manifest lists
};

/// Below `runs`: runs that were begun and are not worked on, folders in which nothing has begun,
/// and, of finished runs, checkpoints for resuming, weights that were kept until they are scored,
/// and what a killed process left half-written.
/// What a live process owns is not among them.
std::vector<Leftover> find_leftovers(const std::filesystem::path& runs);

/// Removes one. False if a live process owns its run, or has finished it meanwhile. Throws an
/// io_error if it cannot be removed.
bool remove_leftover(const Leftover& leftover);

/// Removes a run's folder, its mark of being finished first, so that half of it is never taken for
/// a finished run. Throws Interrupted if a live process owns it, or an io_error.
void remove_run(const std::filesystem::path& folder);

}  // namespace lvtext
