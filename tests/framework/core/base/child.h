// Child processes and folders for tests that involve several processes.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "tests/catch.h"
#include "tests/temporary_folder.h"

namespace lvtext {

/// Pipe between a process and its children; reading returns all data until the last writer closes.
class Pipe {
 public:
  Pipe() { REQUIRE(::pipe(ends_) == 0); }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void write(const std::string& text) {
    if (::write(ends_[1], text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      ::_exit(99);
    }
  }
  /// Sends what this process writes to `descriptor` to the pipe.
  void redirect(int descriptor) const {
    if (::dup2(ends_[1], descriptor) < 0) ::_exit(99);
  }
  /// One byte; '\0' at the end of the data.
  char read_one() {
    char byte = 0;
    return ::read(ends_[0], &byte, 1) == 1 ? byte : '\0';
  }
  /// Closes this process's writing end before reading.
  std::string read_all() {
    close_end(1);
    std::string all;
    char block[4096];
    for (ssize_t got; (got = ::read(ends_[0], block, sizeof block)) > 0;) all.append(block, got);
    return all;
  }

 private:
  void close_end(int end) {
    if (ends_[end] >= 0) ::close(std::exchange(ends_[end], -1));
  }
  int ends_[2] = {-1, -1};
};

/// Runs `body` in a child process that exits with its result, or 98 if it throws.
inline pid_t spawn(const std::function<int()>& body) {
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid > 0) return pid;
  // Catch's signal handlers would report the child's end as a failure of this test.
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP, SIGABRT, SIGSEGV}) {
    ::signal(signal, SIG_DFL);
  }
  ::alarm(60);  // fail the test instead of hanging
  int code = 98;
  try {
    code = body();
  } catch (...) {
  }
  ::_exit(code);
}

/// Exit code of a child, or -signal if it was killed by a signal.
inline int wait_for(pid_t pid) {
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Runs `body` in a child without root privileges, because root ignores the mode of a folder.
inline int run_as_nobody(const std::function<int()>& body) {
  return wait_for(spawn([&] {
    constexpr id_t kNobody = 65534;
    if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) return 97;
    return body();
  }));
}

}  // namespace lvtext
