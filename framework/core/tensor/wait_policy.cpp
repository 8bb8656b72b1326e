#include "framework/core/tensor/wait_policy.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace lvtext {
namespace {

constexpr double kWindow = 0.025;  // seconds of a measurement
constexpr double kFirstPause = 0.25, kMaxPause = 4;
constexpr int kSpin = 200, kSleep = 0;  // milliseconds; 200 is the default of LLVM's OpenMP

using SetBlocktime = void (*)(int);

/// LLVM's function to set the time that threads spin; null in other runtimes.
SetBlocktime set_blocktime() {
  static const auto function =
      reinterpret_cast<SetBlocktime>(dlsym(RTLD_DEFAULT, "kmp_set_blocktime"));
  return function;
}

/// Whether the user has chosen how threads wait.
bool chosen_by_user() {
  return std::getenv("KMP_BLOCKTIME") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

WaitPolicy::WaitPolicy(int threads) : max_rate_(200 + 50.0 * threads), pause_(kFirstPause) {}

bool WaitPolicy::spins(const ProcessorUse& now) {
  if (now.seconds < next_) return spins_;
  const double seconds = now.seconds - start_.seconds;
  const bool measured = spins_ && next_ > 0;
  const bool busy =
      measured && static_cast<double>(now.preemptions - start_.preemptions) > max_rate_ * seconds;
  if (busy) {
    pause_ = trial_ ? std::min(2 * pause_, kMaxPause) : kFirstPause;
    spins_ = false;
    next_ = now.seconds + pause_;
    return false;
  }
  trial_ = !spins_;
  spins_ = true;
  start_ = now;
  next_ = now.seconds + kWindow;
  return true;
}

void adapt_wait_policy() {
  static const bool adapts = set_blocktime() != nullptr && !chosen_by_user();
  if (!adapts || at::get_num_threads() == 1) return;
  // The setting belongs to the thread that starts parallel loops.
  thread_local WaitPolicy policy(at::get_num_threads());
  thread_local bool spinning = true;
  const double seconds = seconds_now();
  if (seconds < policy.next()) return;
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const bool spins = policy.spins({seconds, use.ru_nivcsw});
  if (spins == spinning) return;
  set_blocktime()(spins ? kSpin : kSleep);
  spinning = spins;
}

}  // namespace lvtext
