// Dependencies between runs.
#pragma once

#include <string>
#include <vector>

#include "framework/pipeline/runs/run_scan.h"

namespace lvtext {

// The results point into `all`, so the overloads for temporaries are deleted.

/// Finds the run of an input's folder name by its hash; the rest of the name is descriptive only.
/// nullptr if it is not in `all`.
const FoundRun* find_input(const std::string& folder, const std::vector<FoundRun>& all);
const FoundRun* find_input(const std::string& folder, std::vector<FoundRun>&& all) = delete;

/// The runs in `all`, finished or not, that have `run` as an input.
std::vector<const FoundRun*> dependents(const FoundRun& run, const std::vector<FoundRun>& all);
std::vector<const FoundRun*> dependents(const FoundRun& run, std::vector<FoundRun>&& all) = delete;

/// True if the score node `score` evaluates the training `run`: the model itself, text that it
/// generated, or a language model trained on such text.
bool scores_run(const FoundRun& score, const FoundRun& run, const std::vector<FoundRun>& all);

}  // namespace lvtext
