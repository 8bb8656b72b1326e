// Messages of processes that die of a signal.
#pragma once

#include <string>

namespace lvtext {

/// While alive, a crash of this process (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) prints the
/// signal and `doing` ("computing 'vae'") to standard error; the process then dies of the signal.
/// Objects may be nested; the innermost one is printed. To be used by one thread at a time. Signals
/// that have other handlers (sanitizers, test frameworks) are left alone.
class CrashNote {
 public:
  explicit CrashNote(const std::string& doing);
  ~CrashNote();
  CrashNote(const CrashNote&) = delete;
  CrashNote& operator=(const CrashNote&) = delete;

 private:
  std::string outer_;  ///< the enclosing note
};

}  // namespace lvtext
