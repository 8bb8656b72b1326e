// The nodes that stand in a folder of runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lvtext {

/// One node's folder, as its node.json and manifest.json describe it.
struct FoundRun {
  std::filesystem::path folder;
  std::string identity;  ///< SHA-256
  std::string kind;      ///< "train", "score" ...
  std::string component;
  std::string state;     ///< "finished", "begun", or "damaged"
  std::string problem;   ///< of a damaged one
};

/// Every node below `runs`, by folder name; empty if there is no such folder. Other folders are
/// ignored.
std::vector<FoundRun> find_runs(const std::filesystem::path& runs);

/// The one run that `name` means: a folder, the first characters of its hash, or its name below
/// `runs` from the beginning (`<paper>/<row>` with optional `@profile` and `#seed`). Throws
/// MissingError with the nearest names, or UsageError listing the candidates.
FoundRun find_run(const std::string& name, const std::filesystem::path& runs);

/// Bytes of all files below a folder.
uint64_t folder_bytes(const std::filesystem::path& folder);

}  // namespace lvtext
