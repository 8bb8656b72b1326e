#include "framework/core/base/lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cstdlib>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "tests/framework/core/base/child.h"
#include "tests/text.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

/// Error message if this process does not get the lock; empty if it does.
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

TEST_CASE("lock: of two competing processes one gets the lock and the other reports its owner",
          "[lock]") {
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
          finish.read_one();  // hold the lock until both have tried
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

TEST_CASE("lock: the lock of a killed owner is taken over", "[lock]") {
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

TEST_CASE("lock: deleting the file does not release the lock", "[lock]") {
  const TemporaryFolder folder;
  const FolderLock lock(folder.path);
  REQUIRE(fs::remove(folder.path / "lock"));
  const pid_t child = spawn([&] { return refusal(folder.path).empty() ? 0 : 1; });
  CHECK(wait_for(child) == 1);
  SECTION("nor does a file with a dead owner") {
    write_file_synced(folder.path / "lock", R"({"pid": 1, "host": ")" + current_owner().host +
                                                R"(", "boot_id": "x", "start_ticks": 1})");
    REQUIRE(provably_dead(*read_lock_owner(folder.path)));
    const pid_t second = spawn([&] { return refusal(folder.path).empty() ? 0 : 1; });
    CHECK(wait_for(second) == 1);
  }
}

TEST_CASE("lock: a lock on the file used by other hosts excludes this process", "[lock]") {
  const TemporaryFolder folder;
  Pipe pipe, finish;
  const pid_t child =
      spawn([&] {  // like a process on another host: flock on the folder has no effect
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

TEST_CASE("lock: released by the destructor, movable, leaves no file", "[lock]") {
  const TemporaryFolder folder;
  {
    FolderLock first(folder.path);
    CHECK_FALSE(first.previous_owner());
    CHECK_FALSE(refusal(folder.path).empty());  // the same process cannot lock twice
    const FolderLock second(std::move(first));
    CHECK(second.folder() == folder.path);
    CHECK_FALSE(refusal(folder.path).empty());
  }
  CHECK(fs::is_empty(folder.path));
  CHECK(refusal(folder.path).empty());
  CHECK(fs::is_empty(folder.path));
}

TEST_CASE("lock: an owner counts as dead only if that is certain", "[lock]") {
  const LockOwner self = current_owner();
  CHECK(self.pid == ::getpid());
  CHECK(self.start_ticks > 0);
  CHECK_FALSE(self.boot_id.empty());
  CHECK_FALSE(provably_dead(self));
  SECTION("a process id that was reused") {
    LockOwner owner = self;
    owner.start_ticks += 1;
    CHECK(provably_dead(owner));
  }
  SECTION("a process from before the last boot") {
    LockOwner owner = self;
    owner.boot_id = "00000000-0000-0000-0000-000000000000";
    CHECK(provably_dead(owner));
  }
  SECTION("a process that has exited") {
    const pid_t child = spawn([] { return 0; });
    REQUIRE(wait_for(child) == 0);
    LockOwner owner = self;
    owner.pid = child;
    CHECK(provably_dead(owner));
  }
  SECTION("never on another host") {
    LockOwner owner = self;
    owner.host += "-other";
    owner.start_ticks += 1;
    owner.boot_id = "another";
    CHECK_FALSE(provably_dead(owner));
  }
  SECTION("not a running process") {
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

TEST_CASE("lock: an unreadable owner file names no process", "[lock]") {
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
  const FolderLock lock(folder.path);  // the lock is free
  CHECK(read_lock_owner(folder.path)->pid == ::getpid());
}

TEST_CASE("lock: a missing folder and a file are errors that contain the path", "[lock]") {
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

TEST_CASE("lock: looking at a folder does not prevent another process from locking it", "[lock]") {
  const TemporaryFolder folder;
  { const FolderLock lock(folder.path); }
  const pid_t child = spawn([&] {
    for (;;) is_owned(folder.path);
    return 0;
  });
  int refused = 0;
  for (int i = 0; i < 200; ++i) refused += refusal(folder.path).empty() ? 0 : 1;
  ::kill(child, SIGKILL);
  CHECK(wait_for(child) == -SIGKILL);
  CHECK(refused == 0);
}

TEST_CASE(
    "lock: an owner carries its Slurm job, and a requeued job takes over from its earlier start",
    "[lock]") {
  CHECK_FALSE(current_owner().slurm);
  const auto in_job = [](const char* restarts, const std::function<int()>& body) {
    return wait_for(spawn([&] {
      ::setenv("SLURM_CLUSTER_NAME", "c", 1);
      ::setenv("SLURM_JOB_ID", "12", 1);
      ::setenv("SLURM_ARRAY_JOB_ID", "10", 1);
      ::setenv("SLURM_ARRAY_TASK_ID", "3", 1);
      ::setenv("SLURM_RESTART_COUNT", restarts, 1);
      return body();
    }));
  };
  const TemporaryFolder folder;
  CHECK(in_job("1", [&] {
          const FolderLock lock(folder.path);
          const auto owner = read_lock_owner(folder.path);
          const bool equal = owner && owner->slurm == SlurmJob{"c", "10", "3", 1};
          return equal && contains(describe_owner(*owner), "(Slurm job 10_3 of cluster 'c')") ? 0
                                                                                              : 1;
        }) == 0);
  LockOwner owner = current_owner();
  owner.host = "elsewhere";
  owner.slurm = SlurmJob{"c", "10", "3", 1};
  CHECK_FALSE(provably_dead(owner));
  CHECK(in_job("1", [&] { return provably_dead(owner) ? 1 : 0; }) == 0);  // a peer in the job
  CHECK(in_job("2", [&] { return provably_dead(owner) ? 0 : 1; }) == 0);
  owner.slurm->task = "4";
  CHECK(in_job("2", [&] { return provably_dead(owner) ? 1 : 0; }) == 0);
}

TEST_CASE("lock: an owner on another host is dead if Slurm no longer has its job", "[lock]") {
  const TemporaryFolder programs;
  const auto program = [&](const std::string& name, const std::string& text) {
    write_file_atomic(programs / name, "#!/bin/sh\n" + text + "\n");
    fs::permissions(programs / name, fs::perms::owner_all);
  };
  const auto answer = [&](const std::string& private_data) {
    program("scontrol", R"(case "$1$2" in
showconfig) echo "ClusterName             = c"; echo "PrivateData             = )" +
                            private_data + R"(" ;;
*) echo "JobId=12 ArrayJobId=10 Restarts=1 State=RUNNING" ;;
esac)");
  };
  answer("none");
  // Of job 10, task 3 runs and task 4 waits; the other jobs are not known.
  program("squeue", R"(case "$*" in
*--jobs=10*) echo "10 3 R"; echo "10 4 PD" ;;
*--jobs=20*) echo "20 N/A R" ;;
*--jobs=*) echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1 ;;
esac)");
  LockOwner owner = current_owner();
  owner.host = "elsewhere";
  const auto is_dead = [&](const SlurmJob& job, const std::string& path) {
    return wait_for(spawn([&] {
             ::setenv("PATH", path.c_str(), 1);
             owner.slurm = job;
             return provably_dead(owner) ? 0 : 1;
           })) == 0;
  };
  const std::string with = programs.path.string() + ":/usr/bin:/bin";
  CHECK_FALSE(is_dead({"c", "10", "3", 1}, with));  // runs
  CHECK(is_dead({"c", "10", "3", 0}, with));        // was requeued
  CHECK(is_dead({"c", "10", "4", 1}, with));        // waits to be started again
  CHECK(is_dead({"c", "10", "5", 1}, with));        // has ended
  CHECK(is_dead({"c", "11", "", 0}, with));         // forgotten
  CHECK_FALSE(is_dead({"c", "20", "", 1}, with));
  CHECK_FALSE(is_dead({"other", "11", "", 0}, with));  // another cluster
  CHECK_FALSE(is_dead({"c", "11", "", 0}, "/nowhere"));
  answer("jobs");  // those of other users look as if they had ended
  CHECK_FALSE(is_dead({"c", "11", "", 0}, with));
  answer("none");
  program("squeue", "exit 1");  // does not answer
  CHECK_FALSE(is_dead({"c", "11", "", 0}, with));
}
