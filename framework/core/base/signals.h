// Requests to stop: SIGTERM, SIGINT, SIGUSR1, SIGUSR2 and SIGHUP.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <memory>

namespace lvtext {

/// Catches the stop signals while it lives and restores the old handlers afterwards. The first
/// signal only sets a flag, which loops look at between steps (saving inside a handler is not
/// safe); a second one ends the process at once with exit code 75. Two exceptions: SIGHUP stays
/// ignored where it was (nohup), and is never taken as the second signal, since a closed terminal
/// sends it more than once (the shell, then the kernel). One object at a time.
class StopSignals {
 public:
  /// Forgets earlier requests. Throws std::logic_error if another object lives.
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  struct OldHandlers;
  std::unique_ptr<OldHandlers> old_;
};

/// A second stop signal from this process is the first one passed on, and does not end this one.
void ignore_repeats_from(pid_t process);
/// True once a stop signal arrived (or request_stop was called).
bool stop_requested();
/// The first signal's number, 0 if none arrived.
int stop_signal();
/// Asks for a stop as `signal` would, without one: a peer's request, a time limit.
void request_stop(int signal);
/// Throws Interrupted ("stopped by SIGTERM ... run the same command again") if a stop was
/// requested.
void throw_if_stopped();

}  // namespace lvtext
