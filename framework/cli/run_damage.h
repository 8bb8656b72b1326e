// What is damaged in a run's folder.
#pragma once

#include <string>
#include <vector>

#include "framework/cli/run_scan.h"

namespace lvtext {

/// Reads every file that the run's manifest and the manifests of its checkpoints and kept weights
/// list; one line per difference, empty if all is well.
std::vector<std::string> damage_of(const FoundRun& run);

}  // namespace lvtext
