#include "framework/core/base/log.h"

#include <pty.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>

#include <cstdio>
#include <cstdlib>

#include "framework/core/base/files.h"
#include "tests/framework/core/base/child.h"

using namespace lvtext;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// Output of `body` to stderr in a child process whose stderr is a file.
std::string written_by(const std::function<void()>& body) {
  const TemporaryFolder folder;
  const auto path = folder.path / "stderr";
  REQUIRE(wait_for(spawn([&] {
            if (!std::freopen(path.c_str(), "w", stderr)) return 1;
            body();
            std::fflush(stderr);
            return 0;
          })) == 0);
  return read_file(path);
}

/// The same with a terminal of `columns` instead of the file.
std::string shown_by(const std::function<void()>& body, unsigned short columns = 80) {
  int master = -1, slave = -1;
  struct winsize size = {24, columns, 0, 0};
  REQUIRE(::openpty(&master, &slave, nullptr, nullptr, &size) == 0);
  const pid_t child = spawn([&] {
    ::setenv("TERM", "xterm", 1);
    ::unsetenv("NO_COLOR");
    ::dup2(slave, STDERR_FILENO);
    ::close(slave);
    body();
    std::fflush(stderr);
    return 0;
  });
  ::close(slave);
  std::string all;
  char block[4096];
  for (ssize_t got; (got = ::read(master, block, sizeof block)) > 0;) all.append(block, got);
  ::close(master);
  REQUIRE(wait_for(child) == 0);
  return all;
}

void say_everything(Verbosity verbosity) {
  set_up_log(verbosity);
  spdlog::debug("details");
  log_info("progress");
  log_warning("careful");
  log_error("broken");
}

/// Progress output written to a file.
class Drawn {
 public:
  Drawn() : file_(std::tmpfile()) { REQUIRE(file_ != nullptr); }
  ~Drawn() { std::fclose(file_); }
  FILE* file() { return file_; }
  std::string text() {
    std::fflush(file_);
    REQUIRE(std::fseek(file_, 0, SEEK_SET) == 0);
    std::string all(1 << 16, '\0');
    all.resize(std::fread(all.data(), 1, all.size(), file_));
    return all;
  }

 private:
  FILE* file_;
};

const auto kStart = ProgressLine::Clock::time_point(std::chrono::hours(1));

}  // namespace

TEST_CASE("log: each verbosity prints its levels, without times or colors in a file", "[log]") {
  CHECK(written_by([] { say_everything(Verbosity::kQuiet); }) ==
        "warning: careful\nerror: broken\n");
  CHECK(written_by([] { say_everything(Verbosity::kNormal); }) ==
        "progress\nwarning: careful\nerror: broken\n");
  CHECK(written_by([] { say_everything(Verbosity::kVerbose); }) ==
        "details\nprogress\nwarning: careful\nerror: broken\n");
  // The last call applies.
  CHECK(written_by([] {
          set_up_log(Verbosity::kQuiet);
          say_everything(Verbosity::kNormal);
        }) == "progress\nwarning: careful\nerror: broken\n");
}

TEST_CASE("log: format characters in messages are printed unchanged", "[log]") {
  CHECK(written_by([] {
          set_up_log(Verbosity::kNormal);
          log_info("{} {0} %s %n {");
        }) == "{} {0} %s %n {\n");
}

TEST_CASE("log: a terminal gets colors, unless NO_COLOR or TERM=dumb is set", "[log]") {
  const auto say = [] {
    set_up_log(Verbosity::kNormal);
    log_warning("careful");
  };
  CHECK(shown_by(say) == "\033[33mwarning: \033[0mcareful\r\n");
  CHECK(shown_by([&] {
          ::setenv("NO_COLOR", "1", 1);
          say();
        }) == "warning: careful\r\n");
  CHECK(shown_by([&] {
          ::setenv("NO_COLOR", "", 1);  // an empty value does not count
          say();
        }) == "\033[33mwarning: \033[0mcareful\r\n");
  CHECK(shown_by([&] {
          ::setenv("TERM", "dumb", 1);
          say();
        }) == "warning: careful\r\n");
}

TEST_CASE("progress: without a terminal one line per period, the last one is kept", "[log]") {
  Drawn drawn;
  set_up_log(Verbosity::kNormal);
  {
    ProgressLine line(seconds(30), drawn.file(), false);
    line.update("step 1", kStart);
    line.update("step 2", kStart + seconds(29));
    line.update("step 3", kStart + seconds(30));
    line.update("step 4", kStart + seconds(31));
    line.finish();
    line.finish();
  }
  CHECK(drawn.text() == "step 1\nstep 3\nstep 4\n");
}

TEST_CASE(
    "progress: on a terminal one live line, at most ten updates per second, removed at the end",
    "[log]") {
  Drawn drawn;
  set_up_log(Verbosity::kNormal);
  {
    ProgressLine line(seconds(30), drawn.file(), true);
    line.update("a", kStart);
    line.update("b", kStart + milliseconds(99));
    line.update("c", kStart + milliseconds(100));
  }
  CHECK(drawn.text() == "\r\033[Ka\r\033[Kc\r\033[K");
  Drawn kept;
  {
    ProgressLine line(seconds(30), kept.file(), true);
    line.update("done", kStart);
    line.finish();
  }
  CHECK(kept.text() == "\r\033[Kdone\r\033[Kdone\n");
}

TEST_CASE("progress: a long line is truncated at character boundaries, one column remains free",
          "[log]") {
  const std::string shown = shown_by(
      [] {
        set_up_log(Verbosity::kNormal);
        ProgressLine line;
        line.update("äöü€äöü€");
      },
      6);
  CHECK(shown == "\r\033[Käöü€ä\r\033[K");
}

TEST_CASE("progress: a message first clears the live line", "[log]") {
  const std::string shown = shown_by([] {
    set_up_log(Verbosity::kNormal);
    ProgressLine line;
    line.update("step 1", kStart);
    log_info("saved");
    line.update("step 2", kStart + seconds(1));
  });
  CHECK(shown == "\r\033[Kstep 1\r\033[Ksaved\r\n\r\033[Kstep 2\r\033[K");
}

TEST_CASE("progress: silent in quiet mode, and only one line is displayed at a time", "[log]") {
  Drawn drawn;
  set_up_log(Verbosity::kQuiet);
  {
    ProgressLine line(seconds(30), drawn.file(), false);
    line.update("a", kStart);
    line.finish();
  }
  set_up_log(Verbosity::kNormal);
  {
    ProgressLine outer(seconds(30), drawn.file(), false);
    ProgressLine inner(seconds(30), drawn.file(), false);
    inner.update("inner", kStart);
    outer.update("outer", kStart);
  }
  CHECK(drawn.text() == "outer\n");
}
