// Copies finished runs between folders of runs: `lvtext runs export` and `import`.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "framework/core/base/lock.h"
#include "framework/core/options/options.h"
#include "framework/pipeline/graph/runs_folder.h"

namespace lvtext {

/// Subfolder of a folder of runs in which copies are made before they are renamed.
inline constexpr const char* kIncomingFolder = ".incoming";

/// kCompleted: weights were added to a run without them; kPresent: the run was already finished and
/// is unchanged.
enum class CopyOutcome { kCopied, kCompleted, kPresent };
const std::vector<EnumName<CopyOutcome>>& enum_names(CopyOutcome);

/// Parts of a run to copy.
struct RunCopyOptions {
  bool weights = true;  ///< false: the copy is marked as finished without weights
};

/// Copies finished runs into a folder of runs, each completely or not at all: a run is copied,
/// verified against its manifest, and then renamed. A run that is finished at the destination is
/// never replaced.
class RunCopier {
 public:
  /// Creates the folder `to` and removes partial copies of killed processes. Throws Interrupted
  /// (75) if a live process copies into the same folder, or an io_error.
  explicit RunCopier(std::filesystem::path to);
  ~RunCopier();
  RunCopier(const RunCopier&) = delete;
  RunCopier& operator=(const RunCopier&) = delete;

  /// Copies the files in the manifests of the run `from`: outputs, parts and kept weights, but not
  /// the state for resuming. Throws MissingError if it is not finished, DataError for damaged
  /// files or a conflicting destination, Interrupted if a live process owns the destination or a
  /// stop was requested, or an io_error.
  CopyOutcome copy(const std::filesystem::path& from, const RunCopyOptions& options = {});

 private:
  CopyOutcome copy_described(const std::filesystem::path& from,
                             const nlohmann::ordered_json& manifest);
  /// Adds the weights of a verified copy to the same run without weights.
  void add_weights(const std::filesystem::path& copy, const nlohmann::ordered_json& manifest,
                   const std::filesystem::path& there);

  std::filesystem::path to_;
  RunsFolder before_;
  std::set<std::string> copied_;  ///< identities of the copied runs
  std::optional<FolderLock> lock_;
};

}  // namespace lvtext
