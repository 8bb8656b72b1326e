// How OpenMP threads wait for each other, according to the load of the machine.
#pragma once

#include <cstdint>

namespace lvtext {

/// What the operating system counted for this process up to a moment.
struct ProcessorUse {
  double seconds = 0;       ///< wall clock
  int64_t preemptions = 0;  ///< involuntary context switches of all threads
};

/// Decides whether waiting threads spin or sleep. Spinning threads react fastest, but where other
/// processes compete for the processors they take time from the threads that they wait for: beside
/// four busy processes on two processors, spinning is ten times as slow as sleeping; on an idle
/// machine sleeping takes twice as long as spinning.
///
/// While threads spin, frequent preemptions mean that the machine is busy. Sleeping threads preempt
/// each other, so the counts say nothing then: after a while the policy lets them spin again, and
/// doubles that time, up to a limit, whenever the machine is still busy.
class WaitPolicy {
 public:
  explicit WaitPolicy(int threads);
  /// Whether threads should spin, given the use up to now. Calls are in order of time.
  bool spins(const ProcessorUse& now);
  /// Before this time, spins() would only return the previous answer.
  double next() const { return next_; }

 private:
  double max_rate_;  ///< preemptions per second on an idle machine, at most
  bool spins_ = true, trial_ = false;
  double next_ = 0, pause_;
  ProcessorUse start_;  ///< start of the current measurement
};

/// Measures the load of the machine, at most every 25 ms, and sets how long idle OpenMP threads of
/// the calling thread's parallel loops spin before they sleep. To be called between short parts of
/// work, by the thread that computes; takes less than a microsecond. Results do not depend on it.
/// Without LLVM's OpenMP, whose setting can be changed, it has no effect.
void adapt_wait_policy();

}  // namespace lvtext
