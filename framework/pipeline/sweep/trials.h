// The folder of a sweep: its file and its trials.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "framework/pipeline/sweep/search.h"

namespace lvtext {

/// A list of overrides of the recipe. The number of a trial is its index + 1.
struct Trial {
  Setting setting;
  bool is_added = false;  ///< by `lvtext sweep add`, not by the search

  bool operator==(const Trial&) const = default;
};

/// "trial 3 (train.batch.size=32)", with its index.
std::string described_trial(size_t index, const Trial& trial);

/// `sweep.yaml` and `trials.jsonl` in a folder, as save_sweep() writes them.
struct SweepFolder {
  std::filesystem::path path;
  Sweep sweep;
  std::vector<Trial> trials;
  std::string sweep_text = {};     ///< a new text of `sweep.yaml`; empty: unchanged
  std::string opened_trials = {};  ///< the text of `trials.jsonl` when it was opened
};

/// Opens a folder, or that of a sweep file below `home`, named after the sweep, which need not
/// exist; writes nothing. A changed file is taken over if it only adds trials to those of the
/// search. Throws ConfigError if it differs otherwise, and what read_sweep() throws.
SweepFolder open_sweep(const std::filesystem::path& file_or_folder,
                       const std::filesystem::path& home);

/// Appends a trial, unless there is one with these settings, and returns its index. `overrides`:
/// "path=value" for paths of the space; the result is in its order. Throws UsageError for another
/// path, a missing one and one whose condition does not hold, ConfigError for halving.
size_t add_trial(SweepFolder& folder, const std::vector<std::string>& overrides);

/// Writes what has changed. False, and nothing is written, if another process has written trials
/// since the folder was opened. Waits for a process that is writing; throws Interrupted if it does
/// not end.
bool save_sweep(const SweepFolder& folder);

}  // namespace lvtext
