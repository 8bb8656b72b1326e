// Which run a name on the command line means.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "framework/pipeline/runs/run_scan.h"

namespace lvtext {

/// What the name of a run may be, for help and messages.
inline constexpr const char* kRunHelp =
    "a folder, the beginning of a hash, <paper>/<row>[@profile][#seed], RECIPE key=value..., or "
    "@latest";
/// The name that stands for the newest finished or running training.
inline constexpr const char* kLatestRun = "@latest";

/// The one run that `name` means: a folder (a path, or a name below `runs`), the beginning of a
/// folder's name or of a hash, `<paper>/<row>` with optional `@profile` and `#seed`, or `@latest`.
/// Throws MissingError with the nearest names, or UsageError listing the candidates with what
/// differs.
FoundRun find_run(const std::string& name, const std::filesystem::path& runs);

/// The same among models (trained, fitted or imported), finished or not: what else a name fits does
/// not make it ambiguous. Throws UsageError if it means something that is no model, DataError if it
/// is damaged.
FoundRun find_model(const std::string& name, const std::filesystem::path& runs);

/// How a folder `<paper>.<row>.<profile>.s<seed>-<hash8>` is named on the command line:
/// `<paper>/<row>@<profile>#<seed>`; the folder's own name if it is called otherwise.
std::string short_name(const std::string& folder);

/// The name of the node in a folder's name, without the seed of further trainings:
/// "data-tokenizer"; the folder's own name if it is called otherwise.
std::string node_name(const std::string& folder);

}  // namespace lvtext
