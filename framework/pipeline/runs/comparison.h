// Comparison of runs: differing options, and results.
#pragma once

#include <string>
#include <vector>

#include "framework/pipeline/runs/run_scan.h"

namespace lvtext {

/// One line of a comparison: a value per run, empty if a run has none.
struct ComparedLine {
  std::string key;
  std::vector<std::string> values;
};

struct Comparison {
  std::vector<ComparedLine> options;  ///< options that differ, including those of inputs
  std::vector<ComparedLine> results;  ///< final losses, and all scores of the runs
};

/// Compares `runs`. `all`: the runs in the same folders, which are searched for scores. Throws
/// DataError if a file is damaged.
Comparison compare_runs(const std::vector<FoundRun>& runs, const std::vector<FoundRun>& all);

}  // namespace lvtext
