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

/// Which runs are listed; empty fields select all.
struct RunFilter {
  std::string kind, state;
  std::string row;            ///< an entry or row of a recipe, or a member: models and results
  std::string recipe;         ///< "<paper>/<table>", or only the paper
  std::string data;           ///< a data set or a text file that it is computed from
  int64_t changed_after = 0;  ///< milliseconds since 1970

  bool matches(const FoundRun& run) const;
};

/// Parses the start of a period: "7d", "12h", "30min" before `now` (also s and w), or a day in the
/// local time zone, "2026-11-23". None for other texts.
std::optional<int64_t> parse_since(const std::string& text, int64_t now);

/// All runs, ordered by the time of their last change, newest last. The score of a training is that
/// of the first column of its recipe's first table, else the validation objective of the selected
/// weights, or for unfinished trainings that of the last validation; the score of a score node is
/// its first one. The results point into `all`.
std::vector<ListedRun> list_runs(const std::vector<FoundRun>& all);
std::vector<ListedRun> list_runs(std::vector<FoundRun>&& all) = delete;

/// The newest finished or running training of a row; with `usable` a running one only if it has a
/// checkpoint. Null if there is none.
const FoundRun* latest_training(const std::vector<FoundRun>& all, bool usable = false);
const FoundRun* latest_training(std::vector<FoundRun>&& all, bool usable = false) = delete;

}  // namespace lvtext
