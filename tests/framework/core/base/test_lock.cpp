#include "framework/core/base/lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "tests/framework/core/base/child.h"
#include "tests/text.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

/// The message with which this process is refused; empty if it gets the lock.
std::string refusal(const fs::path& folder) {
  try {
    const FolderLock lock(folder);
    return "";
  } catch (const Interrupted& busy) {
    CHECK(busy.code() == Exit::kInterrupted);
    return busy.what();
  }
}

}  // namespace

TEST_CASE("lock: of two processes that race exactly one wins and the other names it", "[lock]") {
  for (int round = 0; round < 20; ++round) {
    const TemporaryFolder folder;
    Pipe start, tried, finish, said[2];
    pid_t pids[2];
    for (int i = 0; i < 2; ++i) {
      pids[i] = spawn([&] {
        if (start.read_one() != 'g') return 97;
        try {
          const FolderLock lock(folder.path);
          tried.write("w");
          finish.read_one();  // owner until both have tried
          return 0;
        } catch (const Interrupted& busy) {
          said[i].write(busy.what());
          tried.write("l");
          return static_cast<int>(busy.code());
        }
      });
    }
    start.write("gg");
    std::string outcome{tried.read_one(), tried.read_one()};
    finish.write("ff");
    const int latents[2] = {wait_for(pids[0]), wait_for(pids[1])};
    INFO("round " << round << ": " << outcome << " " << latents[0] << " " << latents[1]);
    REQUIRE(((outcome == "wl") || (outcome == "lw")));
    const int winner = latents[0] == 0 ? 0 : 1;
    CHECK(latents[winner] == 0);
    CHECK(latents[1 - winner] == 75);
    const std::string message = said[1 - winner].read_all();
    INFO(message);
    CHECK(contains(message, "process " + std::to_string(pids[winner]) + " on host"));
    CHECK(contains(message, "'" + current_owner().host + "'"));
    CHECK(contains(message, folder.path.string()));
    CHECK(refusal(folder.path).empty());
  }
}

TEST_CASE("lock: a killed owner's lock is taken over", "[lock]") {
  const TemporaryFolder folder;
  Pipe pipe;
  const pid_t child = spawn([&] {
    const FolderLock lock(folder.path);
    pipe.write("l");
    for (;;) ::pause();
    return 0;
  });
  REQUIRE(pipe.read_one() == 'l');
  CHECK(contains(refusal(folder.path), std::to_string(child)));
  ::kill(child, SIGKILL);
  REQUIRE(wait_for(child) == -SIGKILL);
  const FolderLock lock(folder.path);
  REQUIRE(lock.previous_owner());
  CHECK(lock.previous_owner()->pid == child);
  CHECK(provably_dead(*lock.previous_owner()));
  CHECK(read_lock_owner(folder.path)->pid == ::getpid());
}

TEST_CASE("lock: deleting the file does not let a second process in", "[lock]") {
  const TemporaryFolder folder;
  const FolderLock lock(folder.path);
  REQUIRE(fs::remove(folder.path / "lock"));
  const pid_t child = spawn([&] { return refusal(folder.path).empty() ? 0 : 1; });
  CHECK(wait_for(child) == 1);
  SECTION("nor does a file that names a dead owner") {
    write_file_synced(folder.path / "lock", R"({"pid": 1, "host": ")" + current_owner().host +
                                                R"(", "boot_id": "x", "start_ticks": 1})");
    REQUIRE(provably_dead(*read_lock_owner(folder.path)));
    const pid_t second = spawn([&] { return refusal(folder.path).empty() ? 0 : 1; });
    CHECK(wait_for(second) == 1);
  }
}

TEST_CASE("lock: who holds the file that other hosts lock keeps this one out", "[lock]") {
  const TemporaryFolder folder;
  Pipe pipe, finish;
  const pid_t child =
      spawn([&] {  // as a process on another host: flock on the folder means nothing
        const int fd = ::open((folder.path / ".flock").c_str(), O_RDWR | O_CREAT, 0644);
        pipe.write(::flock(fd, LOCK_EX) == 0 ? "l" : "x");
        finish.read_one();
        return 0;
      });
  REQUIRE(pipe.read_one() == 'l');
  CHECK(contains(refusal(folder.path), "in use by another process"));
  finish.write("f");
  REQUIRE(wait_for(child) == 0);
  CHECK(refusal(folder.path).empty());
  CHECK_FALSE(fs::exists(folder.path / ".flock"));
}

TEST_CASE("lock: released at the end, moved with its object, without leaving a file", "[lock]") {
  const TemporaryFolder folder;
  {
    FolderLock first(folder.path);
    CHECK_FALSE(first.previous_owner());
    CHECK_FALSE(refusal(folder.path).empty());  // the same process is not let in twice either
    const FolderLock second(std::move(first));
    CHECK(second.folder() == folder.path);
    CHECK_FALSE(refusal(folder.path).empty());
  }
  CHECK(fs::is_empty(folder.path));
  CHECK(refusal(folder.path).empty());
  CHECK(fs::is_empty(folder.path));
}

TEST_CASE("lock: an owner is dead only if that is certain", "[lock]") {
  const LockOwner self = current_owner();
  CHECK(self.pid == ::getpid());
  CHECK(self.start_ticks > 0);
  CHECK_FALSE(self.boot_id.empty());
  CHECK_FALSE(provably_dead(self));
  SECTION("a process id that was given to another process") {
    LockOwner owner = self;
    owner.start_ticks += 1;
    CHECK(provably_dead(owner));
  }
  SECTION("a process from before the last boot") {
    LockOwner owner = self;
    owner.boot_id = "00000000-0000-0000-0000-000000000000";
    CHECK(provably_dead(owner));
  }
  SECTION("a process that has ended") {
    const pid_t child = spawn([] { return 0; });
    REQUIRE(wait_for(child) == 0);
    LockOwner owner = self;
    owner.pid = child;
    CHECK(provably_dead(owner));
  }
  SECTION("never another host's") {
    LockOwner owner = self;
    owner.host += "-other";
    owner.start_ticks += 1;
    owner.boot_id = "another";
    CHECK_FALSE(provably_dead(owner));
  }
  SECTION("not a process that lives") {
    Pipe told, end;
    const pid_t child = spawn([&] {
      told.write(std::to_string(current_owner().start_ticks) + "\n");
      return end.read_one() == 'e' ? 0 : 1;
    });
    LockOwner owner = self;
    owner.pid = child;
    std::string ticks;
    for (char digit; (digit = told.read_one()) != '\n' && digit != 0;) ticks += digit;
    owner.start_ticks = std::stoull(ticks);
    CHECK_FALSE(provably_dead(owner));
    end.write("e");
    CHECK(wait_for(child) == 0);
    CHECK(provably_dead(owner));
  }
}

TEST_CASE("lock: an owner file that cannot be read names no process", "[lock]") {
  const TemporaryFolder folder;
  CHECK_FALSE(read_lock_owner(folder.path));
  for (const char* text :
       {"", "{}", "[1]", "\xff", R"({"pid": "1", "host": "h", "boot_id": "b", "start_ticks": 1})",
        R"({"pid": 0, "host": "h", "boot_id": "b", "start_ticks": 1})",
        R"({"pid": 4294967297, "host": "h", "boot_id": "b", "start_ticks": 1})",
        R"({"pid": 1, "host": 7, "boot_id": "b", "start_ticks": 1})"}) {
    write_file_synced(folder.path / "lock", text);
    INFO(text);
    CHECK_FALSE(read_lock_owner(folder.path));
  }
  const FolderLock lock(folder.path);  // and does not keep anyone out
  CHECK(read_lock_owner(folder.path)->pid == ::getpid());
}

TEST_CASE("lock: a folder that is missing or a file is an error that names it", "[lock]") {
  const TemporaryFolder folder;
  write_file_synced(folder.path / "file", "x");
  for (const auto& [name, code] : {std::pair<std::string, Exit>{"missing", Exit::kMissingInput},
                                   {"file", Exit::kCannotWrite}}) {
    try {
      const FolderLock lock(folder.path / name);
      FAIL("locked " << name);
    } catch (const Error& error) {
      CHECK(error.code() == code);
      CHECK(contains(error.what(), (folder.path / name).string()));
    }
  }
}
