// A run in a few readable lines.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "framework/pipeline/runs/run_scan.h"

namespace lvtext {

/// Label -> text: what the run is, its data, training options, differences from the other runs of
/// its row, updates, final losses and scores, as far as its files are intact. `all` contains the
/// runs of its folder.
std::vector<std::pair<std::string, std::string>> summarize(const FoundRun& run,
                                                           const std::vector<FoundRun>& all);

/// The shortest name that finds this run among `all`: its short name, else its folder's name.
std::string name_among(const FoundRun& run, const std::vector<FoundRun>& all);

}  // namespace lvtext
