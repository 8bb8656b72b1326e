// Finds runs by their names on the command line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "framework/pipeline/runs/run_scan.h"

namespace lvtext {

/// Valid names of runs, for help and messages.
inline constexpr const char* kRunHelp =
    "a folder, a prefix of a hash, <paper>/<row>[@profile][#seed], RECIPE key=value..., or "
    "@latest (the newest training of a row)";
/// Name of the newest finished or running training of a row.
inline constexpr const char* kLatestRun = "@latest";

/// Finds the run with `name`: a folder (a path, or a name below `runs`), a prefix of a folder's
/// name or of a hash, `<paper>/<row>` with optional `@profile` and `#seed`, or `@latest`. Throws
/// MissingError with the nearest names if there is none, UsageError listing the candidates and
/// their differing options if there are several.
FoundRun find_run(const std::string& name, const std::filesystem::path& runs);

/// Like find_run(), but only among models (trained, fitted or imported), finished or not; other
/// runs that match do not make a name ambiguous. Throws UsageError if only other runs match,
/// DataError if the run is damaged.
FoundRun find_model(const std::string& name, const std::filesystem::path& runs);

/// The models that a name matches: one, as find_model(), or one for each member that a row pattern
/// `mos[*]` matches, by folder name. Runs of a pattern without weights are left out with a warning.
/// Throws UsageError listing the candidates if a member has several runs, of other profiles, seeds
/// or options; MissingError if none has weights.
std::vector<FoundRun> find_models(const std::string& name, const std::filesystem::path& runs);

/// Short name on the command line, `<paper>/<row>@<profile>#<seed>`, of a folder
/// `<paper>.<row>.<profile>.s<seed>-<hash8>`; other names are returned unchanged.
std::string short_name(const std::string& folder);

/// The node's name within a folder's name, without the seed of further trainings:
/// "data-tokenizer"; names of another form are returned unchanged.
std::string node_name(const std::string& folder);

}  // namespace lvtext
