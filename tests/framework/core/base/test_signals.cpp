#include "framework/core/base/signals.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "framework/core/base/error.h"
#include "tests/framework/core/base/child.h"

using namespace lvtext;

namespace {

constexpr int kAll[] = {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP};

constexpr std::chrono::milliseconds kLater = kSameRequest + std::chrono::milliseconds(50);

struct sigaction handler_of(int signal) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  return action;
}

void some_handler(int) {}

}  // namespace

TEST_CASE("signals: 10,000 signals at random times in a busy program only set the flag",
          "[signals]") {
  constexpr int kRounds = 10'000;
  std::atomic<int> round{0};
  const pthread_t busy = ::pthread_self();
  std::thread sender([&] {
    for (int sent = 0; sent < kRounds; ++sent) {
      while (round.load() <= sent) std::this_thread::yield();
      ::pthread_kill(busy, kAll[sent % std::size(kAll)]);
    }
  });
  int caught = 0, named = 0;
  for (int i = 0; i < kRounds; ++i) {
    const StopSignals signals;
    caught += stop_requested();  // must have been reset
    round = i + 1;
    // Allocate meanwhile: a handler that allocates, locks or throws would hang or crash here.
    std::vector<std::unique_ptr<std::string>> work;
    while (!stop_requested()) {
      work.push_back(std::make_unique<std::string>(100, 'x'));
      if (work.size() == 100) {
        work.clear();
        std::this_thread::yield();
      }
    }
    named += stop_signal() == kAll[i % std::size(kAll)];
  }
  sender.join();
  CHECK(caught == 0);
  CHECK(named == kRounds);
}

TEST_CASE("signals: 10,000 pending signals count as the first one", "[signals]") {
  const pid_t child = spawn([&] {
    const StopSignals signals;
    sigset_t set, old;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &set, &old);
    for (int i = 0; i < 10'000; ++i) ::kill(::getpid(), SIGTERM);
    const bool early = stop_requested();
    ::sigprocmask(SIG_SETMASK, &old, nullptr);
    return !early && stop_signal() == SIGTERM ? 0 : 1;
  });
  CHECK(wait_for(child) == 0);
}

TEST_CASE("signals: a later second signal of any kind ends the process immediately with 75",
          "[signals]") {
  struct Child {
    pid_t pid;
    int second;
  };
  std::vector<Child> children;
  for (const int first : kAll) {
    for (const int second : kAll) {
      if (second == SIGHUP) continue;  // a closed terminal sends it more than once
      Pipe pipe;
      const pid_t child = spawn([&] {
        ::unsetenv("SLURM_JOB_ID");
        const StopSignals signals;
        pipe.write("r");
        while (!stop_requested()) ::usleep(100);
        pipe.write(stop_signal() == first ? "1" : "x");
        for (;;) ::usleep(1000);  // does not check the flag: only the second signal can end this
        return 0;
      });
      CHECK(pipe.read_one() == 'r');
      ::kill(child, first);
      CHECK(pipe.read_one() == '1');
      children.push_back({child, second});
    }
  }
  std::this_thread::sleep_for(kLater);
  for (const Child& child : children) {
    ::kill(child.pid, child.second);
    CHECK(wait_for(child.pid) == 75);
  }
}

TEST_CASE("signals: a signal shortly after the first one belongs to the same request",
          "[signals]") {
  for (const int first : kAll) {
    for (const int second : kAll) {
      const pid_t child = spawn([&] {
        ::unsetenv("SLURM_JOB_ID");
        const StopSignals signals;
        ::raise(first);
        ::usleep(6000);
        ::raise(second);
        return stop_signal() == first ? 0 : 1;
      });
      CHECK(wait_for(child) == 0);
    }
  }
}

TEST_CASE("signals: within a Slurm job repeated signals change nothing", "[signals]") {
  const pid_t child = spawn([&] {
    ::setenv("SLURM_JOB_ID", "7", 1);
    const StopSignals signals;
    ::raise(SIGUSR2);
    std::this_thread::sleep_for(kLater);
    for (const int signal : kAll) ::raise(signal);
    return stop_signal() == SIGUSR2 ? 0 : 1;
  });
  CHECK(wait_for(child) == 0);
}

TEST_CASE("signals: a repeated signal does not change how a stopped process ends", "[signals]") {
  const pid_t child = spawn([&] {
    {
      const StopSignals signals;
      ::raise(SIGTERM);
    }
    ::raise(SIGTERM);
    return 12;
  });
  CHECK(wait_for(child) == 12);
}

TEST_CASE("signals: a hangup does not count as the second signal", "[signals]") {
  for (const int first : kAll) {
    const pid_t child = spawn([&] {
      ::unsetenv("SLURM_JOB_ID");
      const StopSignals signals;
      ::raise(first);
      if (first == SIGTERM) std::this_thread::sleep_for(kLater);
      ::raise(SIGHUP);
      ::raise(SIGHUP);
      return stop_signal() == first ? 0 : 1;
    });
    CHECK(wait_for(child) == 0);
  }
}

TEST_CASE("signals: a hangup that was ignored at the start, as by nohup, remains ignored",
          "[signals]") {
  const pid_t child = spawn([] {
    ::signal(SIGHUP, SIG_IGN);
    {
      const StopSignals signals;
      ::raise(SIGHUP);
      if (stop_requested() || handler_of(SIGHUP).sa_handler != SIG_IGN) return 1;
      ::raise(SIGTERM);
      if (stop_signal() != SIGTERM) return 2;
    }
    return handler_of(SIGHUP).sa_handler == SIG_IGN ? 0 : 3;
  });
  CHECK(wait_for(child) == 0);
}

TEST_CASE("signals: a signal forwarded by the parent does not count as the second one",
          "[signals]") {
  Pipe ready, go;
  const pid_t parent = ::getpid();
  const pid_t child = spawn([&] {
    ::unsetenv("SLURM_JOB_ID");
    const StopSignals signals;
    ignore_repeats_from(parent);
    ::kill(::getpid(), SIGTERM);  // from another process
    if (!stop_requested()) return 1;
    std::this_thread::sleep_for(kLater);
    ready.write("r");
    go.read_one();  // the parent's SIGTERM has arrived before this byte
    ready.write("a");
    ::kill(::getpid(), SIGUSR1);  // another process's second signal ends it
    return 2;
  });
  REQUIRE(ready.read_one() == 'r');
  ::kill(child, SIGTERM);
  go.write("g");
  CHECK(ready.read_one() == 'a');  // still running
  CHECK(wait_for(child) == 75);
}

TEST_CASE("signals: the old handlers are restored", "[signals]") {
  struct sigaction before[std::size(kAll)] = {};
  for (size_t i = 0; i < std::size(kAll); ++i) before[i] = handler_of(kAll[i]);
  struct sigaction own {};
  own.sa_handler = &some_handler;
  own.sa_flags = SA_NODEFER;
  ::sigaddset(&own.sa_mask, SIGHUP);
  ::sigaction(SIGUSR1, &own, nullptr);
  ::signal(SIGUSR2, SIG_IGN);
  {
    const StopSignals signals;
    for (const int signal : kAll) {
      CHECK(handler_of(signal).sa_handler != &some_handler);
      CHECK(handler_of(signal).sa_handler != SIG_DFL);
      CHECK(handler_of(signal).sa_handler != SIG_IGN);
    }
  }
  const struct sigaction restored = handler_of(SIGUSR1);
  CHECK(restored.sa_handler == &some_handler);
  CHECK((restored.sa_flags & SA_NODEFER) != 0);
  CHECK((restored.sa_flags & SA_RESTART) == 0);
  CHECK(::sigismember(&restored.sa_mask, SIGHUP) == 1);
  CHECK(handler_of(SIGUSR2).sa_handler == SIG_IGN);
  CHECK(handler_of(SIGTERM).sa_handler == before[0].sa_handler);
  CHECK(handler_of(SIGINT).sa_handler == before[1].sa_handler);
  ::sigaction(SIGUSR1, &before[2], nullptr);
  ::sigaction(SIGUSR2, &before[3], nullptr);
}

TEST_CASE("signals: after destruction a signal has its previous effect", "[signals]") {
  const pid_t child = spawn([] {
    { const StopSignals signals; }
    ::raise(SIGTERM);
    return 0;
  });
  CHECK(wait_for(child) == -SIGTERM);
}

TEST_CASE("signals: a read interrupted by a signal continues", "[signals]") {
  Pipe ready, data;
  const pid_t child = spawn([&] {
    const StopSignals signals;
    ready.write("r");
    return data.read_one() == 'd' && stop_requested() ? 0 : 1;
  });
  CHECK(ready.read_one() == 'r');
  ::usleep(20'000);
  ::kill(child, SIGUSR1);
  ::usleep(20'000);
  data.write("d");
  CHECK(wait_for(child) == 0);
}

TEST_CASE("signals: a stop is thrown as Interrupted and names the first signal", "[signals]") {
  const StopSignals signals;
  CHECK_NOTHROW(throw_if_stopped());
  CHECK(stop_signal() == 0);
  request_stop(SIGUSR1);
  request_stop(SIGTERM);
  CHECK(stop_requested());
  CHECK(stop_signal() == SIGUSR1);
  try {
    throw_if_stopped();
    FAIL("nothing was thrown");
  } catch (const Interrupted& stop) {
    CHECK(stop.code() == Exit::kInterrupted);
    CHECK(std::string(stop.what()).find("SIGUSR1") != std::string::npos);
  }
}

TEST_CASE("signals: a stop within a deferral is thrown after it, in other threads at once",
          "[signals]") {
  const StopSignals signals;
  {
    const StopDeferral outer;
    {
      const StopDeferral inner;
      request_stop(SIGTERM);
      CHECK_NOTHROW(throw_if_stopped());
    }
    CHECK_NOTHROW(throw_if_stopped());
    CHECK(stop_requested());
    bool stopped = false;
    std::thread([&stopped] {
      try {
        throw_if_stopped();
      } catch (const Interrupted&) {
        stopped = true;
      }
    }).join();
    CHECK(stopped);
  }
  CHECK_THROWS_AS(throw_if_stopped(), Interrupted);
}

TEST_CASE("signals: only one object may exist, and a rejected one changes nothing", "[signals]") {
  {
    const StopSignals signals;
    request_stop(SIGINT);
    CHECK_THROWS_AS(StopSignals(), std::logic_error);
    CHECK(stop_signal() == SIGINT);
    CHECK_THROWS_AS(StopSignals(), std::logic_error);
  }
  const StopSignals next;
  CHECK_FALSE(stop_requested());
}
