#include "framework/core/base/files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "framework/core/base/error.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/input_file.h"
#include "framework/core/base/signals.h"
#include "tests/framework/core/base/child.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

/// Exit code of the error of `action`; kBug if the message does not name `path`. Uses no
/// assertions, because it also runs in child processes.
template <typename Action>
Exit code_of(const Action& action, const fs::path& path) {
  try {
    action();
  } catch (const Error& error) {
    const bool named = std::string(error.what()).find(path.string()) != std::string::npos;
    return named ? error.code() : Exit::kBug;
  }
  return Exit::kDone;
}

size_t entries_of(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

}  // namespace

TEST_CASE("files: an atomic write replaces the file and leaves no temporary file", "[files]") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "a.txt";
  write_file_atomic(path, "first, and longer");
  CHECK(read_file(path) == "first, and longer");
  const std::string bytes("\0\xff\n", 3);
  write_file_atomic(path, bytes);
  CHECK(read_file(path) == bytes);
  write_file_atomic(path, "");
  CHECK(read_file(path).empty());
  CHECK(entries_of(folder.path) == 1);
}

TEST_CASE("files: a concurrent reader sees either the old or the new file", "[files]") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "a.txt";
  const std::string a(50'000, 'a'), b(70'000, 'b');
  write_file_atomic(path, a);
  const pid_t writer = spawn([&] {
    for (int i = 0; i < 50; ++i) write_file_atomic(path, i % 2 ? a : b);
    return 0;
  });
  int torn = 0, reads = 0;
  int status = 0;
  while (::waitpid(writer, &status, WNOHANG) == 0) {
    const std::string content = read_file(path);
    torn += content != a && content != b;
    ++reads;
  }
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(torn == 0);
  CHECK(reads > 0);
}

TEST_CASE("files: a failed atomic write keeps the old file and leaves no temporary file",
          "[files]") {
  const TemporaryFolder folder;
  SECTION("the folder is missing") {
    const fs::path path = folder.path / "missing" / "a.txt";
    CHECK(code_of([&] { write_file_atomic(path, "x"); }, path) == Exit::kMissingInput);
    CHECK(entries_of(folder.path) == 0);
  }
  SECTION("the target is a folder: renaming fails after the write") {
    const fs::path path = folder.path / "target";
    fs::create_directories(path / "inside");
    CHECK(code_of([&] { write_file_atomic(path, "x"); }, path) == Exit::kCannotWrite);
    CHECK(entries_of(folder.path) == 1);
    CHECK(fs::is_directory(path / "inside"));
  }
  SECTION("a file size limit: writing fails halfway") {
    const fs::path path = folder.path / "a.txt";
    write_file_atomic(path, "old");
    const int code = wait_for(spawn([&] {
      ::signal(SIGXFSZ, SIG_IGN);
      const struct rlimit limit = {1000, 1000};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      return static_cast<int>(
          code_of([&] { write_file_atomic(path, std::string(5000, 'x')); }, path));
    }));
    CHECK(code == 74);
    CHECK(read_file(path) == "old");
    CHECK(entries_of(folder.path) == 1);
  }
  SECTION("the folder is read-only") {
    const fs::path path = folder.path / "a.txt";
    write_file_atomic(path, "old");
    ::chmod(folder.path.c_str(), 0555);
    CHECK(run_as_nobody([&] {
            return static_cast<int>(code_of([&] { write_file_atomic(path, "x"); }, path));
          }) == 77);
    ::chmod(folder.path.c_str(), 0755);
    CHECK(read_file(path) == "old");
    CHECK(entries_of(folder.path) == 1);
  }
}

TEST_CASE("files: output goes through links and into pipes, which are not replaced", "[files]") {
  const TemporaryFolder folder;
  const fs::path target = folder.path / "target.txt", link = folder.path / "link.txt";
  write_output_file(target, "first");
  fs::create_symlink(target, link);
  write_output_file(link, "second");
  CHECK(fs::is_symlink(link));
  CHECK(read_file(target) == "second");
  const fs::path pipe = folder.path / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  write_output_file(pipe, "third");
  CHECK(fs::is_fifo(pipe));
  char read[8] = {};
  CHECK(::read(reader, read, sizeof(read)) == 5);
  CHECK(std::string(read) == "third");
  ::close(reader);
}

TEST_CASE("files: waiting for a FIFO's writer ends with the first stop signal", "[files]") {
  const TemporaryFolder folder;
  const fs::path fifo = folder.path / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  for (const bool has_writer : {false, true}) {
    Pipe ready;
    const pid_t child = spawn([&] {
      ::alarm(10);
      const StopSignals signals;
      const int writer = has_writer ? ::open(fifo.c_str(), O_RDWR) : -1;
      ready.write("r");
      try {
        char read[4] = {};
        InputFile(fifo, Pipes::kAccept).read(read, sizeof(read));
      } catch (const Interrupted&) {
        ::close(writer);
        return 75;
      }
      return 0;
    });
    CHECK(ready.read_one() == 'r');
    ::usleep(50'000);
    ::kill(child, SIGTERM);
    CHECK(wait_for(child) == 75);
  }
}

TEST_CASE("files: a FIFO is read to its end", "[files]") {
  const TemporaryFolder folder;
  const fs::path fifo = folder.path / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const pid_t child = spawn([&] {
    ::usleep(50'000);  // the reader waits first
    const int writer = ::open(fifo.c_str(), O_WRONLY);
    for (const char* part : {"one", "two"}) {
      if (::write(writer, part, 3) != 3) return 1;
      ::usleep(20'000);
    }
    return 0;
  });
  char read[8] = {};
  CHECK(InputFile(fifo, Pipes::kAccept).read(read, sizeof(read)) == 6);
  CHECK(std::string(read) == "onetwo");
  CHECK(wait_for(child) == 0);
}

TEST_CASE("files: files that are not regular are rejected without blocking", "[files]") {
  const TemporaryFolder folder;
  const fs::path fifo = folder.path / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  // In a child, whose alarm kills it if reading blocks.
  CHECK(wait_for(spawn([&] {
          ::alarm(5);
          return static_cast<int>(code_of([&] { read_file(fifo); }, fifo));
        })) == 65);
  CHECK(code_of([&] { read_file(folder.path); }, folder.path) == Exit::kBadData);
  CHECK(code_of([&] { read_file("/dev/zero"); }, "/dev/zero") == Exit::kBadData);
}

TEST_CASE("files: all readers report the type of a file that is not regular", "[files]") {
  const TemporaryFolder folder;
  const fs::path fifo = folder.path / "fifo", socket = folder.path / "socket";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  REQUIRE(::mknod(socket.c_str(), S_IFSOCK | 0600, 0) == 0);
  fs::create_symlink(fifo, folder.path / "link");
  for (const auto& [path, kind] : {std::pair{fifo, "a FIFO"},
                                   {folder.path / "link", "a FIFO"},
                                   {socket, "a socket"},
                                   {folder.path, "a folder"},
                                   {fs::path("/dev/zero"), "a device"}}) {
    const std::string said =
        "cannot read '" + path.string() + "': it is " + kind + ", not a regular file";
    // In a child, whose alarm kills it if a reader blocks or does not return.
    CHECK(wait_for(spawn([&, path = path] {
            ::alarm(5);
            for (const auto& read : {std::function<void()>([&] { read_file(path); }),
                                     std::function<void()>([&] { sha256_file(path); })}) {
              try {
                read();
                return 1;
              } catch (const DataError& error) {
                if (!std::string_view(error.what()).starts_with(said)) return 2;
              }
            }
            return 0;
          })) == 0);
  }
}

TEST_CASE("files: a file above the size limit is rejected, a file at the limit is read",
          "[files]") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "a.txt";
  write_file_synced(path, "12345");
  CHECK(read_file(path, 5) == "12345");
  CHECK(code_of([&] { read_file(path, 4); }, path) == Exit::kBadData);
  // Rejected by its size, before reading: a sparse file of one tebibyte.
  REQUIRE(::truncate(path.c_str(), off_t{1} << 40) == 0);
  CHECK(code_of([&] { read_file(path); }, path) == Exit::kBadData);
}

TEST_CASE("files: exit codes distinguish kinds of failures", "[files]") {
  const TemporaryFolder folder;
  CHECK(code_of([] { write_file_synced("/dev/full", "x"); }, "/dev/full") == Exit::kIo);
  const fs::path missing = folder.path / "missing";
  CHECK(code_of([&] { read_file(missing); }, missing) == Exit::kMissingInput);
  CHECK(code_of([&] { write_file_synced(folder.path, "x"); }, folder.path) == Exit::kCannotWrite);
  write_file_synced(folder.path / "file", "x");
  const fs::path below = folder.path / "file" / "below";
  CHECK(code_of([&] { make_folders(below); }, below) == Exit::kCannotWrite);
  const fs::path secret = folder.path / "secret";
  write_file_synced(secret, "x");
  ::chmod(secret.c_str(), 0000);
  ::chmod(folder.path.c_str(), 0755);
  CHECK(run_as_nobody(
            [&] { return static_cast<int>(code_of([&] { read_file(secret); }, secret)); }) == 77);
  CHECK(io_error("open", "p", EMFILE).code() == Exit::kOutOfResources);
  CHECK(io_error("open", "p", EROFS).code() == Exit::kCannotWrite);
  CHECK(io_error("read", "p", EIO).code() == Exit::kIo);
}

TEST_CASE("files: a finished folder is renamed to its final name", "[files]") {
  const TemporaryFolder folder;
  const fs::path partial = folder.path / "x.partial", whole = folder.path / "x";
  make_folders(partial / "deep");
  write_file_synced(partial / "deep" / "a.txt", "a");
  publish_folder(partial, whole);
  CHECK_FALSE(fs::exists(partial));
  CHECK(read_file(whole / "deep" / "a.txt") == "a");
  make_folders(partial);
  CHECK(code_of([&] { publish_folder(partial, whole); }, whole) != Exit::kDone);
  CHECK(fs::exists(partial));
}

TEST_CASE("files: a folder is complete or absent", "[files]") {
  const TemporaryFolder folder;
  const fs::path made = folder / "made";
  write_folder(made, [&](const fs::path& partial) {
    write_file_synced(partial / "a", "1");
    CHECK_FALSE(fs::exists(made));
  });
  CHECK(read_file(made / "a") == "1");
  CHECK_THROWS_AS(write_folder(folder / "failed",
                               [](const fs::path& partial) {
                                 write_file_synced(partial / "a", "1");
                                 throw DataError("no more");
                               }),
                  DataError);
  CHECK(entries_of(folder.path) == 1);
  CHECK(code_of([&] { refuse_existing(made); }, made) == Exit::kCannotWrite);
  fs::create_symlink("nowhere", folder / "link");
  CHECK(code_of([&] { refuse_existing(folder / "link"); }, folder / "link") == Exit::kCannotWrite);
  refuse_existing(folder / "other");
}

TEST_CASE("files: a path that leaves its folder is detected", "[files]") {
  for (const char* path : {"a", "a/b.txt", "a/..b", "./a"}) CHECK(stays_inside(path));
  for (const char* path : {"", "/a", "..", "../a", "a/../../b", "a/.."})
    CHECK_FALSE(stays_inside(path));
}
