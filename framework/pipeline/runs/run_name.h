// Looks up runs by name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "framework/pipeline/runs/run_scan.h"

namespace lvtext {

/// Valid names of a run, for help and messages.
inline constexpr const char* kRunHelp =
    "a folder, a prefix of a hash, <paper>/<row>[@profile][#seed], RECIPE key=value..., or "
    "@latest";
/// Name of the newest finished or running training.
inline constexpr const char* kLatestRun = "@latest";

/// Finds the run `name`: a folder (a path, or a name in `runs`), a prefix of a folder's name or of
/// a hash, `<paper>/<row>` with optional `@profile` and `#seed`, or `@latest`. Throws MissingError
/// with the nearest names, or UsageError listing the candidates with their differences.
FoundRun find_run(const std::string& name, const std::filesystem::path& runs);

/// The same among models (trained, fitted or imported), finished or not; other matches are ignored.
/// Throws UsageError if the name matches only other nodes, DataError if the model is damaged.
FoundRun find_model(const std::string& name, const std::filesystem::path& runs);

/// Name of a folder `<paper>.<row>.<profile>.s<seed>-<hash8>` on the command line:
/// `<paper>/<row>@<profile>#<seed>`; the name of the folder if it has another form.
std::string short_name(const std::string& folder);

/// Name of the node in a folder's name, without the suffix of further seeds: "data-tokenizer"; the
/// name of the folder if it has another form.
std::string node_name(const std::string& folder);

}  // namespace lvtext
