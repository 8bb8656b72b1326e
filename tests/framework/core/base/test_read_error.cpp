#include "framework/core/base/read_error.h"

#include <cerrno>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "tests/framework/core/base/child.h"

using namespace lvtext;
namespace fs = std::filesystem;

TEST_CASE("read error: missing files are MissingError with the exit code of missing input",
          "[files]") {
  const TemporaryFolder folder;
  const fs::path none = folder.path / "none.txt";
  CHECK_THROWS_AS(read_file(none), MissingError);
  CHECK_THROWS_AS(sha256_file(none), MissingError);
  CHECK_THROWS_WITH(read_file(none), Contains(none.string()) && Contains("No such file") &&
                                         Contains("check the path"));
}

TEST_CASE("read error: a file in place of a folder is named and is not reported as a write error",
          "[files]") {
  const TemporaryFolder folder;
  const fs::path file = folder.path / "corpus.txt";
  write_file_synced(file, "x");
  const fs::path below = file / "train" / "a.txt";
  for (const auto& read : {std::function<void()>([&] { read_file(below); }),
                           std::function<void()>([&] { sha256_file(below); })}) {
    try {
      read();
      FAIL("was read");
    } catch (const MissingError& error) {
      CHECK(error.code() == Exit::kMissingInput);
      CHECK_THAT(error.what(), Contains("'" + file.string() + "' is a file"));
      CHECK_THAT(error.what(), !Contains("--out"));
    }
  }
}

TEST_CASE("read error: other failures keep their own codes", "[files]") {
  for (const auto& [number, code] : {std::pair{EACCES, Exit::kNoPermission},
                                     {EMFILE, Exit::kOutOfResources},
                                     {EIO, Exit::kIo}}) {
    try {
      throw_read_error("p", number);
    } catch (const MissingError&) {
      FAIL("is not missing");
    } catch (const Error& error) {
      CHECK(error.code() == code);
    }
  }
}
