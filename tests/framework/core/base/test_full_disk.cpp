#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "tests/framework/core/base/full_disk.h"

using namespace lvtext;
namespace fs = std::filesystem;

// Bodies run in a child; a nonzero result identifies the failed expectation.
TEST_CASE("full disk: an atomic write reports it, keeps the old file and leaves no partial file",
          "[files]") {
  on_small_disk(256, [](const fs::path& disk) {
    const fs::path path = disk / "result.json";
    const std::string old(100 * 1024, 'o');
    write_file_atomic(path, old);
    try {
      write_file_atomic(path, std::string(200 * 1024, 'n'));
      return 1;
    } catch (const Error& error) {
      const std::string message = error.what();
      if (error.code() != Exit::kIo) return 2;
      if (message.find("No space left on device") == std::string::npos) return 3;
      if (message.find("free some space") == std::string::npos) return 4;
      if (message.find(path.string()) == std::string::npos) return 5;
    }
    if (read_file(path) != old) return 6;
    if (std::distance(fs::directory_iterator(disk), {}) != 1) return 7;
    // With free space, the same write succeeds.
    write_file_atomic(path, "small");
    return read_file(path) == "small" ? 0 : 8;
  });
}
