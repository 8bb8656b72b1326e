// Any change of a checkpoint's bytes is rejected with a message that contains its location.
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "tests/catch.h"
#include "tests/framework/core/checkpoint/checkpoint_fixture.h"
#include "tests/text.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

void overwrite(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::string refusal(const fs::path& folder) {
  return message_of([&] { load_checkpoint(folder); });
}

}  // namespace

TEST_CASE("checkpoint: 1000 bit flips and 100 truncations are rejected with the file's name",
          "[checkpoint]") {
  TemporaryFolder temporary;
  const fs::path folder = save_checkpoint(temporary.path, 12, small_contents());
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() == 7);
  REQUIRE(refusal(folder).empty());

  std::mt19937_64 random(20);
  int unrefused = 0, unnamed = 0, tensor_unnamed = 0;
  for (int i = 0; i < 1100; ++i) {
    const fs::path& path = files[random() % files.size()];
    const std::string whole = read_file(path);
    std::string changed = whole;
    const size_t at = random() % whole.size();
    const bool truncation = i >= 1000;
    if (truncation) {
      changed.resize(at);
    } else {
      changed[at] = static_cast<char>(changed[at] ^ (1 << (random() % 8)));
    }
    overwrite(path, changed);
    const std::string message = refusal(folder);
    unrefused += message.empty();
    unnamed += message.find(path.filename().string()) == std::string::npos;
    if (!truncation && path.extension() == ".safetensors") {
      uint64_t header = 0;
      std::memcpy(&header, whole.data(), 8);
      const bool inside = at >= 8 + header;
      tensor_unnamed += inside && message.find("tensor '") == std::string::npos;
    }
    overwrite(path, whole);
  }
  CHECK(unrefused == 0);
  CHECK(unnamed == 0);
  CHECK(tensor_unnamed == 0);
  CHECK(refusal(folder).empty());
}

TEST_CASE("checkpoint: a damaged tensor is named", "[checkpoint]") {
  TemporaryFolder temporary;
  const fs::path folder = save_checkpoint(temporary.path, 1, small_contents());
  std::string bytes = read_file(folder / "model.safetensors");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);  // float32 is last: encoder.weight
  overwrite(folder / "model.safetensors", bytes);
  CHECK(refusal(folder).find("tensor 'encoder.weight' is damaged") != std::string::npos);
}

TEST_CASE("checkpoint: appended bytes, extra, missing and swapped files are rejected",
          "[checkpoint]") {
  TemporaryFolder temporary;
  const fs::path one = save_checkpoint(temporary.path, 1, small_contents(1));
  const fs::path two = save_checkpoint(temporary.path, 2, small_contents(2));
  const std::string name =
      GENERATE("model.safetensors", "manifest.json", "state.json", "vocab.txt");
  const std::string whole = read_file(one / name);
  CAPTURE(name);

  overwrite(one / name, whole + '\n');
  CHECK(refusal(one).find(name) != std::string::npos);
  overwrite(one / name, whole);
  CHECK(refusal(one).empty());

  fs::remove(one / name);
  CHECK(refusal(one).find(name) != std::string::npos);
  overwrite(one / name, whole);

  if (read_file(two / name) != whole) {
    overwrite(one / name, read_file(two / name));
    CHECK_FALSE(refusal(one).empty());
    overwrite(one / name, whole);
  }
  overwrite(one / "more.bin", "x");
  CHECK(refusal(one).find("'more.bin' is not in the manifest") != std::string::npos);
}

TEST_CASE("checkpoint: other files instead of a checkpoint are rejected with one line",
          "[checkpoint]") {
  TemporaryFolder temporary;
  const fs::path path = temporary.path / "thing";
  SECTION("zip") {
    overwrite(path, std::string("PK\x03\x04") + std::string(100, 'x'));
    CHECK(refusal(path).find("zip archive") != std::string::npos);
  }
  SECTION("pickle") {
    overwrite(path, "\x80\x02}q.");
    CHECK(refusal(path).find("pickle") != std::string::npos);
  }
  SECTION("empty file") {
    overwrite(path, "");
    CHECK(refusal(path).find("is empty") != std::string::npos);
  }
  SECTION("FIFO") {
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CHECK(refusal(path).find("neither a folder nor a file") != std::string::npos);
  }
  SECTION("FIFO inside") {
    const fs::path folder = save_checkpoint(temporary.path, 1, small_contents());
    fs::remove(folder / "state.json");
    REQUIRE(::mkfifo((folder / "state.json").c_str(), 0600) == 0);
    CHECK(refusal(folder).find("'state.json' is not a regular file") != std::string::npos);
  }
  SECTION("nothing") {
    CHECK_THROWS_AS(load_checkpoint(path), MissingError);
  }
}
