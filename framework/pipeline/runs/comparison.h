// Comparison of runs: options that differ, and results.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "framework/pipeline/runs/run_scan.h"

namespace lvtext {

/// One row of a comparison: a value for each run, empty if the run has none.
struct ComparedLine {
  std::string key;
  std::vector<std::string> values;
};

struct RunComparison {
  std::vector<ComparedLine> options;  ///< those that differ, including inputs
  std::vector<ComparedLine> results;  ///< final losses and all scores of the runs
};

/// Updates, stop reason, final losses and validations of a training, and all scores of the run and
/// of its text, by name.
struct RunResults {
  std::vector<std::pair<std::string, std::string>> training, scores;
};
/// `all` contains the runs of its folder. Throws DataError if a file of a run is damaged.
RunResults results_of(const FoundRun& run, const std::vector<FoundRun>& all);

/// Compares `runs`; `all` contains all runs of their folders, among which scores are searched.
/// Throws DataError if a file of a run is damaged.
RunComparison compare_runs(const std::vector<FoundRun>& runs, const std::vector<FoundRun>& all);

}  // namespace lvtext
