// File systems without flock, for files or at all: overrides libc's flock in this executable and
// fails while a test requests it.
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/lock.h"
#include "tests/framework/core/base/child.h"

namespace {

int refusal_errno = 0;
enum class Folders { kRefused, kGranted, kAsUsual };
Folders folders = Folders::kAsUsual;

/// flock fails with `error` during the lifetime of the object, if it is not 0. Locks on folders may
/// be `granted` to every process, as to those of different hosts.
struct WithoutFlock {
  explicit WithoutFlock(int error, Folders of_folders = Folders::kRefused) {
    refusal_errno = error;
    folders = of_folders;
  }
  ~WithoutFlock() {
    refusal_errno = 0;
    folders = Folders::kAsUsual;
  }
};

bool is_folder(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

extern "C" int flock(int fd, int operation) noexcept {
  if (folders == Folders::kGranted && is_folder(fd)) return 0;
  if (refusal_errno != 0) {
    errno = refusal_errno;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_flock, fd, operation));
}

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

/// Error message if a child does not get the lock; empty if it does.
std::string refusal_of_child(const fs::path& folder) {
  Pipe said;
  const int code = wait_for(spawn([&] {
    try {
      const FolderLock lock(folder);
      return 0;
    } catch (const Interrupted& busy) {
      said.write(busy.what());
      return static_cast<int>(busy.code());
    }
  }));
  std::string message = said.read_all();
  CHECK((code == 0 ? message.empty() : code == 75));
  return message;
}

/// Process id of a process that has exited.
pid_t ended_process() {
  const pid_t child = spawn([] { return 0; });
  REQUIRE(wait_for(child) == 0);
  return child;
}

std::string owner_text(int64_t pid, const std::string& host) {
  const LockOwner self = current_owner();
  return R"({"pid": )" + std::to_string(pid) + R"(, "host": ")" + host + R"(", "boot_id": ")" +
         self.boot_id + R"(", "start_ticks": 1})";
}

}  // namespace

TEST_CASE("lock without flock: only the owner file determines the owner", "[lock]") {
  const WithoutFlock refused(GENERATE(ENOLCK, EOPNOTSUPP, EINVAL, ENOSYS),
                             GENERATE(Folders::kRefused, Folders::kGranted));
  const TemporaryFolder folder;
  {
    const FolderLock lock(folder.path);
    CHECK_FALSE(lock.previous_owner());
    CHECK(read_lock_owner(folder.path)->pid == ::getpid());
    const std::string message = refusal_of_child(folder.path);
    CHECK(message.find("process " + std::to_string(::getpid())) != std::string::npos);
    CHECK(read_lock_owner(folder.path)->pid == ::getpid());
    CHECK(is_owned(folder.path));
  }
  CHECK_FALSE(is_owned(folder.path));
  CHECK(fs::is_empty(folder.path));
  CHECK(refusal_of_child(folder.path).empty());
}

TEST_CASE("lock without flock: taken over only from a dead owner", "[lock]") {
  const WithoutFlock refused(ENOLCK, GENERATE(Folders::kRefused, Folders::kGranted));
  const TemporaryFolder folder;
  const std::string host = current_owner().host;
  SECTION("a process that has exited") {
    const pid_t dead = ended_process();
    write_file_synced(folder.path / "lock", owner_text(dead, host));
    CHECK_FALSE(is_owned(folder.path));
    const FolderLock lock(folder.path);
    REQUIRE(lock.previous_owner());
    CHECK(lock.previous_owner()->pid == dead);
    CHECK(read_lock_owner(folder.path)->pid == ::getpid());
    CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
  }
  SECTION("a process on another host may be running") {
    const std::string text = owner_text(ended_process(), host + "-other");
    write_file_synced(folder.path / "lock", text);
    CHECK(refusal_of_child(folder.path).find(host + "-other") != std::string::npos);
    CHECK(read_file(folder.path / "lock") == text);
    CHECK(is_owned(folder.path));
  }
  SECTION("a file without a process id is not sufficient") {
    write_file_synced(folder.path / "lock", "{");
    CHECK(refusal_of_child(folder.path).find("another process") != std::string::npos);
    CHECK(read_file(folder.path / "lock") == "{");
  }
}

TEST_CASE("lock without flock: of several processes that find a dead owner one gets the lock",
          "[lock]") {
  const WithoutFlock refused(ENOLCK, GENERATE(Folders::kRefused, Folders::kGranted));
  const TemporaryFolder folder;
  for (int round = 0; round < 10; ++round) {
    write_file_synced(folder.path / "lock", owner_text(ended_process(), current_owner().host));
    Pipe start, tried, finish;
    constexpr int kRivals = 4;
    pid_t rivals[kRivals];
    for (pid_t& rival : rivals) {
      rival = spawn([&] {
        if (start.read_one() != 'g') return 97;
        try {
          const FolderLock lock(folder.path);
          tried.write("w");
          finish.read_one();  // hold the lock until all have tried
          return 0;
        } catch (const Interrupted&) {
          tried.write("l");
          return 75;
        }
      });
    }
    start.write("gggg");
    int winners = 0;
    for (int i = 0; i < kRivals; ++i) winners += tried.read_one() == 'w';
    finish.write("ffff");
    for (const pid_t rival : rivals) wait_for(rival);
    INFO("round " << round);
    CHECK(winners == 1);
    CHECK(fs::is_empty(folder.path));
  }
}

TEST_CASE("lock: other errors of flock are not treated as lack of support", "[lock]") {
  const WithoutFlock refused(EWOULDBLOCK);
  const TemporaryFolder folder;
  CHECK_THROWS_AS(FolderLock(folder.path), Interrupted);
  CHECK(fs::is_empty(folder.path));
}

TEST_CASE("lock: a folder is owned while its lock is held, whatever its owner file says",
          "[lock]") {
  const TemporaryFolder folder;
  CHECK_FALSE(is_owned(folder.path));
  CHECK_FALSE(is_owned(folder.path / "missing"));
  const WithoutFlock other_hosts(0, GENERATE(Folders::kAsUsual, Folders::kGranted));
  Pipe pipe;
  const pid_t child = spawn([&] {
    const FolderLock lock(folder.path);
    pipe.write("l");
    for (;;) ::pause();
    return 0;
  });
  CHECK(pipe.read_one() == 'l');
  CHECK(is_owned(folder.path));
  ::kill(child, SIGKILL);
  CHECK(wait_for(child) == -SIGKILL);
  // The file of a killed owner on another host: the lock is free, so the owner is dead.
  write_file_synced(folder.path / "lock", owner_text(7, "elsewhere"));
  CHECK_FALSE(is_owned(folder.path));
  CHECK(refusal_of_child(folder.path).empty());
}
