#include "framework/core/base/signals.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

#include "framework/core/base/error.h"

namespace lvtext {
namespace {

constexpr std::array<int, 5> kSignals = {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP};

std::atomic<int> received{0};
std::atomic<bool> installed{false};
static_assert(std::atomic<int>::is_always_lock_free, "the handler may only use lock-free atomics");

std::atomic<pid_t> forwarding_process{0};
thread_local int deferrals = 0;  // StopDeferral objects of this thread

extern "C" void on_stop_signal(int signal, siginfo_t* info, void*) {
  int none = 0;
  const bool first = received.compare_exchange_strong(none, signal);
  const pid_t repeats = forwarding_process;
  // The signal of the parent's death (PR_SET_PDEATHSIG) also has its pid, but getppid() differs.
  const bool passed_on = repeats != 0 && info->si_pid == repeats && ::getppid() == repeats;
  if (!first && !passed_on && signal != SIGHUP) {
    ::_exit(static_cast<int>(Exit::kInterrupted));
  }
}

}  // namespace

struct StopSignals::OldHandlers {
  std::array<struct sigaction, kSignals.size()> actions;
};

StopSignals::StopSignals() : old_(std::make_unique<OldHandlers>()) {
  LVT_ASSERT(!installed.exchange(true), "only one StopSignals may exist at a time");
  received = 0;
  forwarding_process = 0;
  struct sigaction action {};
  action.sa_sigaction = &on_stop_signal;
  // SA_RESTART: interrupted system calls are restarted; only loops check for a stop request.
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  ::sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &old_->actions[i]);
    const bool nohup = kSignals[i] == SIGHUP && old_->actions[i].sa_handler == SIG_IGN;
    if (!nohup) ::sigaction(kSignals[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &old_->actions[i], nullptr);
  }
  installed = false;
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
  int none = 0;
  received.compare_exchange_strong(none, signal);
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
