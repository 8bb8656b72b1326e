#include "framework/core/base/crash.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

#include "tests/framework/core/base/child.h"
#include "tests/text.h"

using namespace lvtext;

namespace {

/// Standard error of a child that runs `body`, and how it ended.
std::pair<std::string, int> output_of(const std::function<void()>& body) {
  Pipe pipe;
  const pid_t child = spawn([&] {
    for (const int signal : {SIGBUS, SIGFPE, SIGILL}) ::signal(signal, SIG_DFL);
    pipe.redirect(STDERR_FILENO);
    body();
    return 0;
  });
  std::string text = pipe.read_all();
  return {text, wait_for(child)};
}

/// Recurses until the stack is exhausted.
int overflow(int depth) {
  if (depth < 0) return 0;
  volatile char block[4096] = {};
  block[depth % 4096] = 1;
  return overflow(depth + 1) + block[0];
}

}  // namespace

TEST_CASE(
    "crash: the signal and the innermost note are printed, and the process dies of the signal",
    "[crash]") {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    const auto [text, end] = output_of([&] {
      const CrashNote outer("reading");
      const CrashNote inner("computing 'vae'");
      ::raise(signal);
    });
    CHECK(end == -signal);
    CHECK(contains(text, "crashed with SIG" + std::string(::sigabbrev_np(signal)) +
                             " while computing 'vae'\n"));
  }
}

TEST_CASE("crash: an exhausted stack is reported, too", "[crash]") {
  const auto [text, end] = output_of([] {
    const CrashNote note("computing 'vae'");
    ::exit(overflow(0));
  });
  CHECK(end == -SIGSEGV);
  CHECK(contains(text, "SIGSEGV while computing 'vae'"));
}

TEST_CASE("crash: after the last note nothing is printed", "[crash]") {
  const auto [text, end] = output_of([] {
    { const CrashNote note("computing 'vae'"); }
    ::raise(SIGSEGV);
  });
  CHECK(end == -SIGSEGV);
  CHECK(text.empty());
  const auto [outer, unused] = output_of([] {
    const CrashNote note("reading");
    { const CrashNote inner("computing 'vae'"); }
    ::raise(SIGSEGV);
  });
  CHECK(contains(outer, "while reading\n"));
}
