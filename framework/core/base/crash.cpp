#include "framework/core/base/crash.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <memory>

namespace lvtext {
namespace {

constexpr std::array<int, 5> kCrashes = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr size_t kStackBytes = size_t{64} << 10;

// Read by the handler, which can neither allocate nor use strings.
std::array<char, 1024> note{};

void set_note(const std::string& doing) {
  const size_t bytes = std::min(doing.size(), note.size() - 1);
  std::memcpy(note.data(), doing.data(), bytes);
  note[bytes] = '\0';
}

void print(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return;  // nothing else can be done
}

extern "C" void on_crash(int signal) {
  const char* name = ::sigabbrev_np(signal);
  print("\nerror: the process crashed with SIG");
  print(name == nullptr ? "?" : name);
  print(" while ");
  print(note.data());
  print("\n");
  // The handler was reset to the default: the instruction is repeated and ends the process.
  ::raise(signal);
}

/// Installs the handlers once per process, on a stack of their own, because the stack may have
/// overflowed.
void install_handlers() {
  static const std::unique_ptr<char[]> stack = [] {
    auto memory = std::make_unique<char[]>(kStackBytes);
    const stack_t own{.ss_sp = memory.get(), .ss_flags = 0, .ss_size = kStackBytes};
    ::sigaltstack(&own, nullptr);
    return memory;
  }();
  struct sigaction action {};
  action.sa_handler = &on_crash;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
  ::sigemptyset(&action.sa_mask);
  for (const int signal : kCrashes) {
    struct sigaction present {};
    ::sigaction(signal, nullptr, &present);
    if (present.sa_handler == SIG_DFL) ::sigaction(signal, &action, nullptr);
  }
}

void remove_handlers() {
  for (const int signal : kCrashes) {
    struct sigaction present {};
    ::sigaction(signal, nullptr, &present);
    if (present.sa_handler == &on_crash) ::signal(signal, SIG_DFL);
  }
}

}  // namespace

CrashNote::CrashNote(const std::string& doing) : outer_(note.data()) {
  if (outer_.empty()) install_handlers();
  set_note(doing);
}

CrashNote::~CrashNote() {
  set_note(outer_);
  if (outer_.empty()) remove_handlers();
}

}  // namespace lvtext
