// Finished runs copied from one folder of runs to another: `lvtext runs export` and `import`.
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

/// The folder below a folder of runs in which copies are made before they are moved into place.
inline constexpr const char* kIncomingFolder = ".incoming";

/// kCompleted: a run without weights got them; kThere: it was finished there already and stays as
/// it is.
enum class CopyOutcome { kCopied, kCompleted, kThere };
const std::vector<EnumName<CopyOutcome>>& enum_names(CopyOutcome);

/// What is copied of a run.
struct RunCopyOptions {
  bool weights = true;  ///< false: the copy is known as finished without weights
};

/// Copies finished runs into a folder of runs, each whole or not at all. Nothing of the source is
/// trusted: every copied file is listed in a sealed manifest and compared with it both when it is
/// read and when it is written; links, paths that lead elsewhere, and files of other kinds are
/// refused. A run that is finished at the destination is never replaced.
class RunCopier {
 public:
  /// Makes the folder `to`. What a killed process left half-copied is removed. Throws Interrupted
  /// (75) if a live process copies into the same folder, or an io_error.
  explicit RunCopier(std::filesystem::path to);
  ~RunCopier();
  RunCopier(const RunCopier&) = delete;
  RunCopier& operator=(const RunCopier&) = delete;

  /// Copies what the manifests of the run `from` list: outputs, parts and kept weights; not the
  /// state for resuming. Throws MissingError if it is not finished, DataError saying what is
  /// refused or in the way, Interrupted if a live process owns the destination or a stop was
  /// requested, or an io_error.
  CopyOutcome copy(const std::filesystem::path& from, const RunCopyOptions& options = {});

 private:
  CopyOutcome copy_checked(const std::filesystem::path& from, nlohmann::ordered_json manifest);
  CopyOutcome complete(const std::filesystem::path& from, const nlohmann::ordered_json& manifest,
                       const std::filesystem::path& there, nlohmann::ordered_json known);

  std::filesystem::path to_;
  RunsFolder before_;
  std::set<std::string> copied_;  ///< identities
  std::optional<FolderLock> lock_;
};

}  // namespace lvtext
