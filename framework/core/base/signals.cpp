#include "framework/core/base/signals.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "framework/core/base/error.h"

namespace lvtext {
namespace {

constexpr std::array<int, 5> kSignals = {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP};

std::atomic<int> received{0};
std::atomic<int64_t> received_at{0};  // of the first signal, in ns of the monotonic clock
std::atomic<bool> within_job{false};
std::atomic<bool> exists{false};  // a StopSignals object
static_assert(std::atomic<int64_t>::is_always_lock_free,
              "the handler may only use lock-free atomics");

std::atomic<pid_t> forwarding_process{0};
thread_local int deferrals = 0;  // StopDeferral objects of this thread

std::array<struct sigaction, kSignals.size()> old_handlers;

/// Async-signal-safe.
int64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Records a stop request; false if there was one before.
bool record(int signal) {
  int none = 0;
  if (!received.compare_exchange_strong(none, signal)) return false;
  received_at = monotonic_ns();
  return true;
}

bool is_same_request() {
  const int64_t first = received_at;  // 0: another thread is recording it
  return first == 0 || monotonic_ns() - first < std::chrono::nanoseconds(kSameRequest).count();
}

extern "C" void on_stop_signal(int signal, siginfo_t* info, void*) {
  if (record(signal) || signal == SIGHUP || within_job || is_same_request()) return;
  const pid_t repeats = forwarding_process;
  // The signal of the parent's death (PR_SET_PDEATHSIG) also has its pid, but getppid() differs.
  const bool passed_on = repeats != 0 && info->si_pid == repeats && ::getppid() == repeats;
  if (!passed_on) ::_exit(static_cast<int>(Exit::kInterrupted));
}

/// Installs the handlers that are not installed, such as after an earlier stop request.
void install_handlers() {
  struct sigaction action {};
  action.sa_sigaction = &on_stop_signal;
  // SA_RESTART: interrupted system calls are restarted; only loops check for a stop request.
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  ::sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction present {};
    ::sigaction(kSignals[i], nullptr, &present);
    if (present.sa_sigaction == &on_stop_signal) continue;
    old_handlers[i] = present;
    const bool nohup = kSignals[i] == SIGHUP && present.sa_handler == SIG_IGN;
    if (!nohup) ::sigaction(kSignals[i], &action, nullptr);
  }
}

}  // namespace

StopSignals::StopSignals() {
  LVT_ASSERT(!exists.exchange(true), "only one StopSignals may exist at a time");
  received_at = 0;
  received = 0;
  forwarding_process = 0;
  within_job = std::getenv("SLURM_JOB_ID") != nullptr;
  install_handlers();
}

StopSignals::~StopSignals() {
  exists = false;
  if (stop_requested()) return;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &old_handlers[i], nullptr);
  }
}

bool is_stop_signal(int signal) {
  return std::find(kSignals.begin(), kSignals.end(), signal) != kSignals.end();
}

void ignore_repeats_from(pid_t process) {
  forwarding_process = process;
}

bool stop_requested() {
  return received != 0;
}

int stop_signal() {
  return received;
}

void request_stop(int signal) {
  record(signal);
}

StopDeferral::StopDeferral() {
  ++deferrals;
}

StopDeferral::~StopDeferral() {
  --deferrals;
}

void throw_if_stopped() {
  if (deferrals > 0) return;
  if (const int signal = received) {
    const char* name = ::sigabbrev_np(signal);
    throw Interrupted("stopped by " + (name ? "SIG" + std::string(name) : std::to_string(signal)) +
                      "; the saved state is complete: run the same command again to resume");
  }
}

}  // namespace lvtext
