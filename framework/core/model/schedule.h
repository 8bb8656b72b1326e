// Progress of a training run, and schedules that depend on it.
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

/// The state that schedules, stop conditions and plans may depend on; saved with every checkpoint.
struct Progress {
  int64_t step = 0;                              ///< finished cycles over the plan
  int64_t epoch = 0;                             ///< finished passes of the first stream
  int64_t tokens = 0;                            ///< target tokens drawn from the first stream
  std::map<std::string, int64_t> phase_runs;     ///< finished runs per phase
  std::map<std::string, int64_t> group_updates;  ///< updates per parameter group
  std::vector<Evaluation> evaluations;
  /// `schedule_length` divided by the planned updates of this run; 1 without scaling.
  double schedule_rate = 1;

  /// Converts a count of this run (updates, phase runs) to the units of schedules.
  double scheduled(int64_t count) const { return static_cast<double>(count) * schedule_rate; }
};

/// A number as a pure function of progress, such as a term's weight or a noise level.
using Schedule = std::function<double(const Progress&)>;

/// Factor of a loss term: a number or a schedule; converts implicitly from both.
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
