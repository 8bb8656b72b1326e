// Outputs of a finished node are verified when they are read.
#include "framework/core/checkpoint/finished_run.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/manifest.h"
#include "framework/core/checkpoint/run_folder.h"
#include "framework/core/checkpoint/verified_files.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "tests/text.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

constexpr size_t kLarge = size_t{3} << 20;

/// A finished run with a small and a large file.
struct Finished {
  TemporaryFolder temporary;
  fs::path folder = temporary.path / "p.n.smoke.s1-01234567";

  Finished() {
    RunFolder run(folder);
    write_file_synced(folder / "small.txt", "one\ntwo\n");
    write_file_synced(folder / "large.bin", std::string(kLarge, 'x'));
    run.mark_finished({"small.txt", "large.bin"},
                      {{"identity", "0123"}, {"metadata", {{"count", 2}}}});
  }

  FinishedRun read() const { return FinishedRun(folder); }
};

/// Flips a bit in place, so that name, size and inode are unchanged.
void flip(const fs::path& path, size_t at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at));
  const char byte = static_cast<char>(file.get() ^ 1);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(byte);
}

void set_times(const fs::path& path, const struct stat& info) {
  const timespec times[] = {info.st_atim, info.st_mtim};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

/// Waits until a file's change is old enough for the file to be cached as verified.
void settle() {
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
}

}  // namespace

TEST_CASE("finished run: metadata, contents and paths of listed files", "[checkpoint]") {
  const Finished finished;
  const FinishedRun run = finished.read();
  CHECK(run.identity() == "0123");
  CHECK(run.metadata().at("count") == 2);
  CHECK(run.read("small.txt") == "one\ntwo\n");
  CHECK(run.file("large.bin") == finished.folder / "large.bin");
  CHECK(run.lists("small.txt"));
  CHECK_FALSE(run.lists("other"));
  CHECK(contains(message_of([&] { run.read("other"); }), "lists no file 'other'"));
  CHECK_THROWS_AS(FinishedRun(finished.temporary.path), MissingError);
}

TEST_CASE("finished run: a changed, truncated, missing or replaced file is rejected by name",
          "[checkpoint]") {
  const Finished finished;
  const std::string name = GENERATE("small.txt", "large.bin");
  const fs::path path = finished.folder / name;
  SECTION("a bit") {
    flip(path, 2);
    CHECK(contains(message_of([&] { finished.read().read(name); }), "does not match its SHA-256"));
  }
  SECTION("the end") {
    fs::resize_file(path, 3);
  }
  SECTION("all") {
    fs::remove(path);
  }
  SECTION("a folder instead of a file") {
    fs::remove(path);
    fs::create_directory(path);
  }
  SECTION("a link to the same bytes") {
    fs::rename(path, finished.temporary.path / "moved");
    fs::create_symlink(finished.temporary.path / "moved", path);
  }
  CHECK_THROWS_AS(finished.read().read(name), DamagedRun);
  CHECK_THROWS_AS(finished.read().file(name), DamagedRun);
  const std::string message = message_of([&] { finished.read().file(name); });
  CHECK(contains(message, "'" + name + "'"));
  CHECK(contains(message, "lvtext runs rm " + finished.folder.string() + " --yes --force"));
  CHECK(verify_run(finished.folder).size() == 1);
}

TEST_CASE("finished run: the error of a damaged manifest explains how to recompute the run",
          "[checkpoint]") {
  const Finished finished;
  flip(finished.folder / "manifest.json", 40);
  CHECK_THROWS_AS(finished.read(), DamagedRun);
  CHECK(contains(message_of([&] { finished.read(); }), "lvtext runs rm"));
}

TEST_CASE("verified files: a large file is cached until its stamp changes", "[checkpoint]") {
  const Finished finished;
  const fs::path path = finished.folder / "large.bin";
  finished.read().file("large.bin");
  CHECK_FALSE(fs::exists(finished.folder / "verified.json"));  // the file was written just now
  settle();
  finished.read().file("large.bin");
  REQUIRE(fs::exists(finished.folder / "verified.json"));
  finished.read().file("small.txt");
  CHECK(read_file(finished.folder / "verified.json").find("small") == std::string::npos);

  struct stat before {};
  REQUIRE(::stat(path.c_str(), &before) == 0);
  flip(path, kLarge / 2);
  set_times(path, before);
  struct stat after {};
  REQUIRE(::stat(path.c_str(), &after) == 0);
  REQUIRE(after.st_mtim.tv_nsec == before.st_mtim.tv_nsec);
  CHECK_THROWS_AS(finished.read().file("large.bin"), DamagedRun);
}

TEST_CASE("verified files: entries that are damaged or of another boot are ignored",
          "[checkpoint]") {
  const Finished finished;
  settle();
  const std::string known = VerifiedFiles(finished.folder).sha256_of("large.bin");
  const fs::path memory = finished.folder / "verified.json";
  // A wrong entry shows whether it is used.
  auto fields = parse_sealed(read_file(memory), "m");
  REQUIRE(fields["boots"].size() == 1);
  auto& boot = fields["boots"][0];
  boot["files"]["large.bin"]["sha256"] = std::string(64, '0');
  const auto write = [&] { write_file_synced(memory, seal(fields)); };
  write();
  REQUIRE(VerifiedFiles(finished.folder).sha256_of("large.bin") == std::string(64, '0'));
  SECTION("a bit") {
    for (size_t at = 0; at < fs::file_size(memory); at += 7) {
      flip(memory, at);
      CHECK(VerifiedFiles(finished.folder).sha256_of("large.bin") == known);
      write();
    }
  }
  SECTION("another boot") {
    boot["boot_id"] = "another";
    write();
    CHECK(VerifiedFiles(finished.folder).sha256_of("large.bin") == known);
  }
  SECTION("another stamp") {
    boot["files"]["large.bin"]["changed_ns"] = 1;
    write();
    CHECK(VerifiedFiles(finished.folder).sha256_of("large.bin") == known);
  }
}

TEST_CASE("verified files: machines that share a folder keep their entries, the newest 64",
          "[checkpoint]") {
  const Finished finished;
  settle();
  const fs::path memory = finished.folder / "verified.json";
  VerifiedFiles(finished.folder).sha256_of("large.bin");
  auto fields = parse_sealed(read_file(memory), "m");
  const auto own = fields["boots"][0];
  fields["boots"].clear();
  for (int i = 0; i < 64; ++i) {
    auto other = own;
    other["boot_id"] = "boot " + std::to_string(i);
    fields["boots"].push_back(other);
  }
  write_file_synced(memory, seal(fields));
  VerifiedFiles(finished.folder).sha256_of("large.bin");
  fields = parse_sealed(read_file(memory), "m");
  REQUIRE(fields["boots"].size() == 64);
  CHECK(fields["boots"][0]["boot_id"] == "boot 1");
  CHECK(fields["boots"][63] == own);
}

TEST_CASE("finished run: a damaged log is restored from the newest checkpoint", "[checkpoint]") {
  const TemporaryFolder temporary;
  const fs::path folder = temporary.path / "p.n.smoke.s1-01234567";
  const bool logged_later = GENERATE(false, true);
  std::string log;
  {
    RunFolder run(folder);
    run.log().append({{"step", 1}});
    run.log().append({{"step", 2}});
    CheckpointContents contents;
    contents.extra[kLogFile] = run.log().content();
    save_checkpoint(run.checkpoints(), 2, contents);
    if (logged_later) run.log().append({{"step", 2}, {"validation", 1.5}});
    log = run.log().content();
    run.mark_finished({kLogFile}, {{"identity", "0123"}, {"metadata", {}}});
  }
  const fs::path file = folder / kLogFile;
  const auto restored = [&] { return read_file(file) == log; };
  const FinishedRun run(folder);
  flip(file, 3);
  CHECK(run.read(kLogFile) == log);
  CHECK(restored());
  fs::resize_file(file, 20);
  CHECK(run.file(kLogFile) == file);
  CHECK(restored());
  fs::remove(file);
  CHECK(verify_run(folder).empty());
  CHECK(restored());
  SECTION("unless the checkpoint is damaged, too") {
    flip(folder / "checkpoints" / step_folder_name(2) / kLogFile, 4);
    flip(file, 3);
    CHECK_THROWS_AS(run.read(kLogFile), DamagedRun);
    CHECK(verify_run(folder).size() == 1);
  }
}

TEST_CASE("finished run: a folder that is a link to itself is not finished", "[checkpoint]") {
  const TemporaryFolder temporary;
  const fs::path loop = temporary.path / "loop";
  fs::create_symlink("loop", loop);
  CHECK_FALSE(read_run_manifest(loop));
  CHECK_FALSE(read_run_description(loop));
}
