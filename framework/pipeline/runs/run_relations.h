// Dependencies between runs.
#pragma once

#include <string>
#include <vector>

#include "framework/pipeline/runs/run_scan.h"

namespace lvtext {

// The results point into `all`; temporaries are not accepted.

/// The run with the hash in an input's folder name; null if it is not in `all`.
const FoundRun* find_input(const std::string& folder, const std::vector<FoundRun>& all);
const FoundRun* find_input(const std::string& folder, std::vector<FoundRun>&& all) = delete;

/// The finished runs in `all` with `run` as an input.
std::vector<const FoundRun*> dependents(const FoundRun& run, const std::vector<FoundRun>& all);
std::vector<const FoundRun*> dependents(const FoundRun& run, std::vector<FoundRun>&& all) = delete;

/// True if the score node `score` evaluates the training `run`: the model, its generated text, or a
/// language model trained on that text.
bool scores_run(const FoundRun& score, const FoundRun& run, const std::vector<FoundRun>& all);

}  // namespace lvtext
