// What a RUN on the command line means.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "framework/cli/run_scan.h"

namespace lvtext {

/// The one run that `name` means: a folder (a path, or a name below `runs`), the first characters
/// of its hash, or `<paper>/<row>` with optional `@profile` and `#seed`. Throws MissingError with
/// the nearest names, or UsageError listing the candidates.
FoundRun find_run(const std::string& name, const std::filesystem::path& runs);

/// The same among trainings: what else a name fits does not make it ambiguous. Throws UsageError if
/// it means something that is no training.
FoundRun find_training(const std::string& name, const std::filesystem::path& runs);

/// How a folder `<paper>.<row>.<profile>.s<seed>-<hash8>` is named on the command line:
/// `<paper>/<row>@<profile>#<seed>`; the folder's own name if it is called otherwise.
std::string short_name(const std::string& folder);

}  // namespace lvtext
