#include "framework/core/sources/fetch.h"

#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/signals.h"
#include "framework/core/sources/pins.h"
#include "tests/framework/core/base/child.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

const std::string kContent = "one\ntwo\nthree\n";
const std::string kPath = "small/a.txt";

/// A mirror, a cache, and sets of one file.
struct Places : TemporaryFolder {
  DataLocations locations{path / "mirror", path / "cache"};
  fs::path cached = path / "cache" / kPath, mirrored = path / "mirror" / kPath;

  void mirror(const std::string& content) const {
    make_folders(mirrored.parent_path());
    write_file_synced(mirrored, content);
  }
  /// File names in the cache below "small", sorted; empty if the folder does not exist.
  std::vector<std::string> left() const {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(path / "cache/small", none)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

Manifest set_of(const std::vector<std::string>& urls, const std::string& sum = sha256(kContent)) {
  Manifest set;
  set.name = "small";
  set.fields = {"text"};
  set.relatives = {"embedded"};
  set.files = {{"pool", kPath, 14, 3, sum, urls, "text"}};
  return set;
}

const std::vector<std::string> kUrl = {"https://example.org/a.txt"};

/// A program named curl, which this process and its children find before the real one.
void install_curl(const fs::path& folder, const std::string& script) {
  make_folders(folder);
  write_file_synced(folder / "curl",
                    "#!/bin/sh\nwhile [ \"$1\" != --output ]; do shift; done\n" + script + "\n");
  ::chmod((folder / "curl").c_str(), 0755);
  ::setenv("PATH", (folder.string() + ":" + std::getenv("PATH")).c_str(), 1);
}

}  // namespace

TEST_CASE("fetch: a mirror's file is copied if it matches the set, else rejected", "[data]") {
  const Places at;
  const Manifest set = set_of({});
  SECTION("the correct file") {
    at.mirror(kContent);
    fetch(set, at.locations);
    CHECK(read_file(at.cached) == kContent);
    CHECK(at.left() == std::vector<std::string>{"a.txt"});
    // After the copy, no mirror is needed.
    fs::remove_all(at.path / "mirror");
    fetch(set, at.locations);
    CHECK(verify(set, at.locations)[0].kind == FileState::Kind::kWhole);
  }
  SECTION("other bytes of the same size") {
    at.mirror("one\ntwo\nthrEe\n");
    CHECK_THROWS_AS(fetch(set, at.locations), DataError);
    CHECK_THROWS_WITH(fetch(set, at.locations), Contains(sha256("one\ntwo\nthrEe\n")) &&
                                                    Contains(sha256(kContent)) &&
                                                    Contains(at.mirrored.string()));
    CHECK(at.left().empty());
  }
  SECTION("a truncated copy") {
    at.mirror(kContent.substr(0, 9));
    CHECK_THROWS_AS(fetch(set, at.locations), DataError);
    CHECK_THROWS_WITH(fetch(set, at.locations),
                      Contains("9 bytes, expected 14") && Contains("truncated"));
    CHECK(at.left().empty());
  }
  SECTION("no file and no public URL") {
    CHECK_THROWS_AS(fetch(set, at.locations), MissingError);
    CHECK_THROWS_WITH(fetch(set, at.locations),
                      Contains("mirror-only") && Contains("data.set=embedded") &&
                          Contains("The mirror '" + (at.path / "mirror").string() + "'"));
    CHECK(at.left().empty());
  }
  SECTION("a damaged copy in the cache is reported and replaced from a mirror") {
    make_folders(at.cached.parent_path());
    write_file_synced(at.cached, "one\ntwo\nthrEe\n");
    CHECK_THROWS_AS(fetch(set, at.locations), DataError);
    CHECK(verify(set, at.locations)[0].kind == FileState::Kind::kDamaged);
    at.mirror(kContent);
    fetch(set, at.locations);
    CHECK(read_file(at.cached) == kContent);
  }
}

TEST_CASE("fetch: a failed or interrupted download leaves no files", "[data]") {
  Places at;
  const Manifest set = set_of(kUrl);
  SECTION("the download is truncated") {
    at.locations.download = [](const std::string&, const fs::path& to, int64_t) {
      write_file_synced(to, kContent.substr(0, 5));
    };
    CHECK_THROWS_AS(fetch(set, at.locations), MissingError);
    CHECK_THROWS_WITH(fetch(set, at.locations), Contains("5 bytes, expected 14"));
  }
  SECTION("the server fails after some bytes") {
    at.locations.download = [](const std::string&, const fs::path& to, int64_t) {
      write_file_synced(to, kContent.substr(0, 5));
      throw DeviceError("the line is cut");
    };
    CHECK_THROWS_AS(fetch(set, at.locations), DeviceError);
    CHECK_THROWS_WITH(fetch(set, at.locations), Contains("the line is cut") && Contains(kUrl[0]));
  }
  SECTION("the user interrupts it") {
    at.locations.download = [](const std::string&, const fs::path& to, int64_t) {
      write_file_synced(to, kContent.substr(0, 5));
      throw Interrupted("stopped");
    };
    CHECK_THROWS_AS(fetch(set, at.locations), Interrupted);
  }
  CHECK(at.left().empty());
}

TEST_CASE("fetch: a second URL is tried if the first returns other bytes", "[data]") {
  Places at;
  at.locations.download = [](const std::string& url, const fs::path& to, int64_t bytes) {
    CHECK(bytes == 14);
    write_file_synced(to, url.ends_with("b.txt") ? kContent : "something else");
  };
  fetch(set_of({"https://example.org/a.txt", "https://example.org/b.txt"}), at.locations);
  CHECK(read_file(at.cached) == kContent);
  CHECK(at.left() == std::vector<std::string>{"a.txt"});
}

TEST_CASE("fetch: curl's failure is reported with its exit code", "[data]") {
  Places at;
  CHECK(wait_for(spawn([&] {
          install_curl(at.path / "bin", "printf part > \"$2\"; exit 22");
          try {
            fetch(set_of(kUrl), at.locations);
          } catch (const MissingError& error) {
            const std::string message = error.what();
            return message.find("exit code 22") != std::string::npos ? 0 : 1;
          }
          return 2;
        })) == 0);
  CHECK(at.left().empty());
}

TEST_CASE("fetch: a server that does not answer is unavailable, not a missing file", "[data]") {
  Places at;
  const auto fails = [&](const std::string& script) {
    return wait_for(spawn([&] {
      install_curl(at.path / "bin", script);
      try {
        fetch(set_of(kUrl), at.locations);
      } catch (const Error& error) {
        return static_cast<int>(error.code());
      }
      return 0;
    }));
  };
  CHECK(fails("exit 7") == 69);
  CHECK(fails("exit 28") == 69);
  CHECK(fails("printf 503; exit 22") == 69);
  CHECK(fails("printf 404; exit 22") == 66);
  CHECK(fails("exit 63") == 66);
  CHECK(fails("kill -9 $$") == 69);
  CHECK(at.left().empty());
}

TEST_CASE("fetch: a download that is larger than the file of the set is ended", "[data]") {
  Places at;
  CHECK(wait_for(spawn([&] {
          ::alarm(20);
          install_curl(at.path / "bin", "exec yes | head -c 1000000 > \"$2\"; sleep 10");
          try {
            fetch(set_of(kUrl), at.locations);
          } catch (const MissingError& error) {
            const std::string message = error.what();
            return message.find("more than the expected 14 bytes") != message.npos ? 0 : 1;
          }
          return 2;
        })) == 0);
  CHECK(at.left().empty());
}

TEST_CASE("fetch: curl's limits of time and size, and URLs with brackets", "[data]") {
  Places at;
  const fs::path arguments = at.path / "arguments";
  CHECK(wait_for(spawn([&] {
          const fs::path bin = at.path / "bin";
          make_folders(bin);
          write_file_synced(bin / "curl",
                            "#!/bin/sh\necho \"$@\" > '" + arguments.string() + "'; exit 7\n");
          ::chmod((bin / "curl").c_str(), 0755);
          ::setenv("PATH", (bin.string() + ":" + std::getenv("PATH")).c_str(), 1);
          CHECK_THROWS(fetch(set_of({"https://example.org/a[1].txt"}), at.locations));
          return 0;
        })) == 0);
  CHECK_THAT(read_file(arguments),
             Contains("--globoff") && Contains("--speed-limit 1 --speed-time 60") &&
                 Contains("--connect-timeout 30") && Contains("--max-filesize 14") &&
                 Contains("-- https://example.org/a[1].txt"));
}

TEST_CASE("fetch: a port without a server, with the installed curl", "[data]") {
  if (std::system("command -v curl >/dev/null") != 0) return;
  Places at;
  CHECK_THROWS_AS(fetch(set_of({"https://127.0.0.1:1/a.txt"}), at.locations), DeviceError);
  CHECK_THROWS_WITH(fetch(set_of({"https://127.0.0.1:1/a.txt"}), at.locations),
                    Contains("exit code 7 (no connection)") && Contains("data.set=embedded"));
}

TEST_CASE("fetch: a signal stops curl, exits with 75 and leaves no files", "[data]") {
  Places at;
  const fs::path marker = at.path / "curl.pid";
  const pid_t child = spawn([&] {
    install_curl(at.path / "bin", "printf part > \"$2\"; echo $$ > '" + marker.string() +
                                      ".tmp'; mv '" + marker.string() + ".tmp' '" +
                                      marker.string() + "'; exec sleep 60");
    const StopSignals signals;
    try {
      fetch(set_of(kUrl), at.locations);
    } catch (const Error& error) {
      return static_cast<int>(error.code());
    }
    return 0;
  });
  for (int i = 0; i < 2000 && !fs::exists(marker); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  REQUIRE(fs::exists(marker));
  CHECK(at.left().size() == 1);
  ::kill(child, SIGTERM);
  CHECK(wait_for(child) == 75);
  CHECK(at.left().empty());
  const pid_t curl = std::stoi(read_file(marker));
  CHECK(::kill(curl, 0) != 0);
}

TEST_CASE("fetch: files of killed downloads are removed, files of running downloads are not",
          "[data]") {
  Places at;
  at.locations.download = [](const std::string&, const fs::path& to, int64_t) {
    write_file_synced(to, kContent);
  };
  make_folders(at.cached.parent_path());
  const fs::path old = at.cached.string() + ".partial-1", fresh = at.cached.string() + ".partial-2";
  write_file_synced(old, "x");
  write_file_synced(fresh, "x");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  fetch(set_of(kUrl), at.locations);
  CHECK(at.left() == std::vector<std::string>{"a.txt", "a.txt.partial-2"});
}

TEST_CASE("fetch: an unpinned file is pinned by the first download and then verified", "[data]") {
  Places at;
  const Manifest set = set_of(kUrl, "");
  std::string served = kContent;
  at.locations.download = [&](const std::string&, const fs::path& to, int64_t) {
    write_file_synced(to, served);
  };
  CHECK(verify(set, at.locations)[0].kind == FileState::Kind::kMissing);
  CHECK_FALSE(read_pin(set.files[0], at.locations.cache));
  fetch(set, at.locations);
  const auto pin = read_pin(set.files[0], at.locations.cache);
  REQUIRE(pin);
  CHECK(pin->bytes == 14);
  CHECK(pin->sha256 == sha256(kContent));
  const FileState state = verify(set, at.locations)[0];
  CHECK(state.kind == FileState::Kind::kWhole);
  CHECK_THAT(state.message, Contains("pinned at its first fetch") && Contains(sha256(kContent)));

  fs::remove(at.cached);
  served = "one\ntwo\nthrEe\n";
  CHECK_THROWS_WITH(fetch(set, at.locations), Contains("SHA-256"));
  at.mirror(served);
  CHECK_THROWS_AS(obtain(set, set.files[0], at.locations), DataError);
  at.mirror(kContent);
  CHECK(obtain(set, set.files[0], at.locations) == at.mirrored);

  write_file_synced(at.cached.string() + ".pin.json", "{}");
  CHECK_THROWS_WITH(fetch(set, at.locations), Contains("is not a pin") && Contains(kPath));
}

TEST_CASE("fetch: a file found in a mirror is pinned, too", "[data]") {
  Places at;
  at.mirror(kContent);
  const Manifest set = set_of(kUrl, "");
  CHECK(verify(set, at.locations)[0].kind == FileState::Kind::kUnpinned);
  fetch(set, at.locations);
  CHECK(read_pin(set.files[0], at.locations.cache)->sha256 == sha256(kContent));
  CHECK(read_file(at.cached) == kContent);
}
