// List of runs with score and differing options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/runs/differences.h"
#include "framework/pipeline/runs/run_scan.h"

namespace lvtext {

/// The score shown for a run.
struct MainScore {
  std::string metric;  ///< "bleu"; "validation" for a training without a finished score
  double value = 0;
};

struct ListedRun {
  const FoundRun* run = nullptr;
  RunDifferences differs;  ///< from other runs of its paper, row and profile
  std::optional<MainScore> score;
};

/// All runs, ordered by the time of their last change, newest last. The score of a training is that
/// of the first column of its recipe's first table, else the validation objective of the selected
/// weights, or for unfinished trainings that of the last validation; the score of a score node is
/// its first one. The results point into `all`.
std::vector<ListedRun> list_runs(const std::vector<FoundRun>& all);
std::vector<ListedRun> list_runs(std::vector<FoundRun>&& all) = delete;

/// The newest finished or running training; null if there is none.
const FoundRun* latest_training(const std::vector<FoundRun>& all);
const FoundRun* latest_training(std::vector<FoundRun>&& all) = delete;

/// "2026-11-23 13:05", in the local time zone.
std::string local_time(int64_t seconds);
/// "2026-11-23T13:05:00Z".
std::string utc_time(int64_t seconds);

}  // namespace lvtext
