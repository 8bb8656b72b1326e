// Runs side by side: the options in which they differ, and their results.
#pragma once

#include <string>
#include <vector>

#include "framework/pipeline/runs/run_scan.h"

namespace lvtext {

/// One line of a comparison: a value for each run, empty where a run has none.
struct ComparedLine {
  std::string key;
  std::vector<std::string> values;
};

struct Comparison {
  std::vector<ComparedLine> options;  ///< only those that differ, inputs included
  std::vector<ComparedLine> results;  ///< final losses, and every score that was made of a run
};

/// Compares `runs`. `all` is every run that stands beside them: the scores are looked for there.
/// Throws DataError if a file of theirs is damaged.
Comparison compare_runs(const std::vector<FoundRun>& runs, const std::vector<FoundRun>& all);

}  // namespace lvtext
