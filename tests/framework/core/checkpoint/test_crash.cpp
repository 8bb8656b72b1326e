// Processes killed while saving: at any time, the next start finds the newest checkpoint that was
// reported as saved.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <random>

#include "framework/core/base/error.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/run_folder.h"
#include "tests/catch.h"
#include "tests/framework/core/checkpoint/checkpoint_fixture.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

constexpr const char* kFolderVariable = "LVTEXT_TEST_CRASH_FOLDER";
constexpr const char* kChildTest = "crash: the process to be killed";
constexpr int kReportFd = 3;

/// Contents that identify their step, large enough that a save consists of many writes.
CheckpointContents contents_of(int64_t step) {
  CheckpointContents contents = small_contents(0.5 + static_cast<double>(step));
  contents.model["large"] = at::full({100'000}, static_cast<float>(step), at::kFloat);
  contents.state["step"] = step;
  return contents;
}

/// Starts this executable with the test that saves; its reports go to `report`.
pid_t start_saver(const fs::path& run, int report) {
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid > 0) return pid;
  ::setenv(kFolderVariable, run.c_str(), 1);
  ::setenv("OMP_NUM_THREADS", "1", 1);
  ::dup2(report, kReportFd);  // without close-on-exec
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, 1);
  ::execl("/proc/self/exe", "test_checkpoint", kChildTest, static_cast<char*>(nullptr));
  ::_exit(127);
}

/// Reads one reported step; nothing at the end.
std::optional<int64_t> read_step(int fd) {
  int64_t step = 0;
  return ::read(fd, &step, sizeof step) == sizeof step ? std::optional(step) : std::nullopt;
}

bool any_partial(const fs::path& folder) {
  return std::any_of(fs::recursive_directory_iterator(folder), fs::recursive_directory_iterator(),
                     [](const fs::directory_entry& entry) {
                       const std::string name = entry.path().filename();
                       return name.ends_with(".partial") || name.find(".tmp-") != name.npos;
                     });
}

struct Tally {
  int refused = 0;
  int leftovers = 0;
};

/// Starts a saver, kills it some microseconds after it has reported `after` steps, and restarts it.
void kill_once(const fs::path& run, int after, int microseconds, Tally& tally) {
  std::array<int, 2> ends;
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const pid_t pid = start_saver(run, ends[1]);
  ::close(ends[1]);
  std::optional<int64_t> reported;
  for (int i = 0; i < after; ++i) {
    const auto step = read_step(ends[0]);
    if (!step) break;
    reported = step;
  }
  ::usleep(microseconds);
  ::kill(pid, SIGKILL);
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  // The saver does not end by itself: an exit is a failure.
  REQUIRE(WIFSIGNALED(status));
  REQUIRE(WTERMSIG(status) == SIGKILL);
  while (const auto step = read_step(ends[0])) reported = step;
  ::close(ends[0]);
  REQUIRE(reported);

  const RunFolder folder(run);
  REQUIRE(folder.lock().previous_owner());
  CHECK(folder.lock().previous_owner()->pid == pid);
  CHECK_FALSE(any_partial(run));
  tally.leftovers += static_cast<int>(folder.leftovers().size());
  const FoundCheckpoint found = find_newest_valid(folder.checkpoints());
  tally.refused += static_cast<int>(found.refused.size());
  REQUIRE(found.newest);
  CHECK(found.newest->step >= *reported);
  CHECK(found.newest->step <= *reported + 1);
  CHECK(found.newest->contents.state["step"] == found.newest->step);
  const auto expected = contents_of(found.newest->step);
  CHECK(found.newest->contents.model.at("large").equal(expected.model.at("large")));
  CHECK(
      found.newest->contents.model.at("encoder.weight").equal(expected.model.at("encoder.weight")));
}

void kill_often(int times) {
  const TemporaryFolder folder;
  std::mt19937 random(7);
  Tally tally;
  for (int i = 0; i < times; ++i) {
    INFO("kill " << i);
    // A save takes a few milliseconds: kill within it and within the pruning after it.
    const int after = std::uniform_int_distribution<int>(1, 3)(random);
    kill_once(folder.path / "run", after, std::uniform_int_distribution<int>(0, 12'000)(random),
              tally);
  }
  CHECK(tally.refused == 0);
  // Otherwise no kill occurred during a save and nothing was tested.
  CHECK(tally.leftovers > 0);
}

}  // namespace

TEST_CASE("crash: the process to be killed", "[.child]") {
  const char* run = std::getenv(kFolderVariable);
  if (run == nullptr) return;
  RunFolder folder(run);
  const auto found = find_newest_valid(folder.checkpoints());
  // The first save replaces the newest folder, like a run that resumes from an older one.
  int64_t step = found.newest ? found.newest->step : 0;
  for (bool again = found.newest.has_value();; again = false) {
    if (!again) ++step;
    save_checkpoint(folder.checkpoints(), step, contents_of(step));
    if (::write(kReportFd, &step, sizeof step) != sizeof step) return;
    prune_checkpoints(folder.checkpoints(), Retention{}, step);
  }
}

TEST_CASE("crash: 20 processes killed while saving lose no reported checkpoint", "[checkpoint]") {
  kill_often(20);
}

TEST_CASE("crash: 200 processes killed while saving lose no reported checkpoint",
          "[checkpoint][long]") {
  kill_often(200);
}
