// What a run has done so far, and the numbers that follow from it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lvtext {

/// One validation: its step and the value of the selection objective (lower is better) with the
/// mean of every loss term under "phase/term".
struct Evaluation {
  int64_t step = 0;
  double objective = 0;
  std::map<std::string, double> terms;
};

/// All that schedules, stop rules and plans may depend on; saved with every checkpoint.
struct Progress {
  int64_t step = 0;                              ///< finished cycles over the plan
  int64_t epoch = 0;                             ///< finished passes of the first stream
  int64_t tokens = 0;                            ///< target tokens drawn from the first stream
  std::map<std::string, int64_t> phase_runs;     ///< finished runs per phase
  std::map<std::string, int64_t> group_updates;  ///< updates per parameter group
  std::vector<Evaluation> evaluations;
  /// `schedule_length` over this run's planned updates; 1 where nothing is scaled.
  double schedule_rate = 1;

  /// A count of this run (updates, phase runs) in the units that schedules are written in.
  double scheduled(int64_t count) const { return static_cast<double>(count) * schedule_rate; }
};

/// A number as a pure function of progress: a term's weight, a noise.
using Schedule = std::function<double(const Progress&)>;

/// What a loss term is multiplied by: a number, or a schedule. Converts from both.
class TermWeight {
 public:
  // NOLINTBEGIN(google-explicit-constructor): terms are declared as `.weight = 0.5`.
  TermWeight(double number) : number_(number) {}
  TermWeight(Schedule schedule) : schedule_(std::move(schedule)) {}
  // NOLINTEND(google-explicit-constructor)

  /// The weight of the next update.
  double at(const Progress& progress) const { return schedule_ ? schedule_(progress) : number_; }

 private:
  double number_ = 0;
  Schedule schedule_;
};

}  // namespace lvtext
