// Which runs are made of which.
#pragma once

#include <string>
#include <vector>

#include "framework/pipeline/runs/run_scan.h"

namespace lvtext {

// The results point into `all`, so a temporary is refused.

/// The run that an input's folder name means: by its hash, since the rest of a name is for people.
/// nullptr if it is not among `all`.
const FoundRun* find_input(const std::string& folder, const std::vector<FoundRun>& all);
const FoundRun* find_input(const std::string& folder, std::vector<FoundRun>&& all) = delete;

/// The finished runs among `all` that have `run` as an input.
std::vector<const FoundRun*> dependents(const FoundRun& run, const std::vector<FoundRun>& all);
std::vector<const FoundRun*> dependents(const FoundRun& run, std::vector<FoundRun>&& all) = delete;

/// True if the score node `score` measures the training `run`: the model itself, or text that it
/// made, or a language model trained on such text.
bool scores_run(const FoundRun& score, const FoundRun& run, const std::vector<FoundRun>& all);

}  // namespace lvtext
