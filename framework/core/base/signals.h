// Stop requests by SIGTERM, SIGINT, SIGUSR1, SIGUSR2 and SIGHUP.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>

#include "framework/core/base/error.h"

namespace lvtext {

/// Thrown by work that was asked to pause at a step, after saving; it can be continued.
struct Paused : Interrupted {
  using Interrupted::Interrupted;
};

/// Handles the stop signals for its lifetime and restores the old handlers afterwards, except after
/// a stop request: the process then ends, and a repeated signal must not change its exit code. One
/// object at a time.
///
/// The first signal only sets a flag, which loops check between steps (saving inside a handler is
/// not safe). Within a Slurm job (SLURM_JOB_ID is set) repeated signals change nothing: Slurm sends
/// several and ends a job that does not stop with SIGKILL. Elsewhere a second signal exits
/// immediately with code 75, unless it arrives within kSameRequest of the first: `timeout`, batch
/// systems and shells that forward signals send one request twice. SIGHUP never counts as the
/// second signal, because a closed terminal sends it more than once (the shell, then the kernel),
/// and stays ignored if it was (nohup).
class StopSignals {
 public:
  /// Clears earlier requests. Throws std::logic_error if another object exists.
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
};

/// Signals within this time of the first one belong to the same request.
inline constexpr std::chrono::milliseconds kSameRequest(1000);

/// True for the signals that StopSignals handles.
bool is_stop_signal(int signal);
/// Treats a repeated stop signal from this process as a forwarded first one, which does not exit.
void ignore_repeats_from(pid_t process);
/// True after a stop signal or a call of request_stop().
bool stop_requested();
/// Number of the first signal; 0 if none arrived.
int stop_signal();
/// Requests a stop as `signal` would, such as for a time limit.
void request_stop(int signal);
/// Throws Interrupted ("stopped by SIGTERM ... run the same command again") if a stop was
/// requested, except within a StopDeferral of this thread.
void throw_if_stopped();

/// While alive, throw_if_stopped() of this thread does not throw: for work that must not be left
/// half done, such as a training step, whatever functions it calls. Can be nested.
class StopDeferral {
 public:
  StopDeferral();
  ~StopDeferral();
  StopDeferral(const StopDeferral&) = delete;
  StopDeferral& operator=(const StopDeferral&) = delete;
};

}  // namespace lvtext
