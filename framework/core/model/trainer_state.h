// The state of a training run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lvtext {

/// One validation: its step and the value of the selection objective (lower is better) with the
/// mean of every loss term under "phase/term".
struct Evaluation {
  int64_t step = 0;
  double objective = 0;
  std::map<std::string, double> terms;
};

/// The state that schedules, plans and stop conditions may depend on; saved with every checkpoint.
struct TrainerState {
  int64_t step = 0;                              ///< finished cycles over the plan
  int64_t epoch = 0;                             ///< finished passes over the first stream
  double passes = 0;                             ///< the same, with the fraction of the current one
  int64_t tokens = 0;                            ///< target tokens drawn from the first stream
  double seconds = 0;                            ///< training time, over all restarts
  std::map<std::string, int64_t> phase_runs;     ///< finished runs per phase
  std::map<std::string, int64_t> group_updates;  ///< updates per parameter group
  std::vector<Evaluation> evaluations;
  /// A validation of the current weights has not finished yet.
  bool validation_due = false;
  /// `schedule_length` divided by the planned updates of this run; 1 without scaling.
  double schedule_rate = 1;

  /// Converts a count of this run (updates, phase runs) to the units of schedules.
  double scheduled(int64_t count) const { return static_cast<double>(count) * schedule_rate; }
};

}  // namespace lvtext
