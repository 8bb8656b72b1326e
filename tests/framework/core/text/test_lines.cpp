#include "framework/core/text/lines.h"

#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

struct Folder : TemporaryFolder {
  fs::path file(const std::string& content, const std::string& name = "corpus.txt") const {
    write_file_synced(path / name, content);
    return path / name;
  }
};

std::string gzip(const std::string& text, const fs::path& path) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return read_file(path);
}

}  // namespace

TEST_CASE("lines: only LF and CR LF end a line, a byte order mark is removed", "[text]") {
  Folder folder;
  LineCounts counts;
  const auto lines =
      read_lines(folder.file("\uFEFFone\r\ntwo\u2028half\rlone\n\n  \nlast"), {}, &counts);
  CHECK(lines == std::vector<std::string>{"one", "two\u2028half\rlone", "", "  ", "last"});
  CHECK(counts.lines == 5);
  CHECK(counts.empty == 2);
}

TEST_CASE("lines: policies for invalid text count it and report its position", "[text]") {
  Folder folder;
  const auto path = folder.file("good\nbad \xFF byte\nfine\nok\nyes\n");
  CHECK_THROWS_WITH(read_lines(path), Contains("line 2") && Contains("byte 5") &&
                                          Contains("above U+10FFFF") && Contains("corpus.txt"));
  LineCounts counts;
  CHECK(read_lines(path, {.invalid = InvalidText::kSkip}, &counts).size() == 4);
  CHECK(counts.skipped == 1);
  CHECK(counts.lines == 5);
  CHECK(counts.first_invalid == 2);
  CHECK(read_lines(path, {.invalid = InvalidText::kReplace}, &counts)[1] ==
        "bad \xEF\xBF\xBD byte");
  CHECK(counts.replaced == 1);
}

TEST_CASE("lines: a line over the limit is rejected, skipped or truncated", "[text]") {
  Folder folder;
  // The limit is inside the two-byte sequence.
  const auto path = folder.file("abc\n1234567\xC3\xA9\nabcdefgh\r\n");
  LineOptions options{.max_bytes = 8};
  CHECK_THROWS_WITH(read_lines(path, options), Contains("line 2"));
  options.too_long = LongLine::kSkip;
  CHECK(read_lines(path, options) == std::vector<std::string>{"abc", "abcdefgh"});
  options.too_long = LongLine::kCut;
  LineCounts counts;
  CHECK(read_lines(path, options, &counts) ==
        std::vector<std::string>{"abc", "1234567", "abcdefgh"});
  CHECK(counts.cut == 1);
  CHECK(counts.invalid == 0);
}

TEST_CASE("lines: a line of 100 MB uses at most twice the limit in memory", "[text]") {
  Folder folder;
  const auto path = folder.path / "long.txt";
  {
    std::ofstream file(path);
    const std::string part(1 << 20, 'x');
    for (int k = 0; k < 100; ++k) file << part;
    file << "\nshort\n";
  }
  LineReader reader(path, {.too_long = LongLine::kSkip});
  std::string line;
  REQUIRE(reader.next(line));
  CHECK(line == "short");
  CHECK(reader.number() == 2);
  CHECK(line.capacity() <= 2 * (size_t{1} << 20) + 2);
  CHECK(reader.counts().first_too_long == 1);
}

TEST_CASE("lines: gzip is detected by content, damage is an error", "[text]") {
  Folder folder;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "line " + std::to_string(i * 7919 % 10007) + "\n";
  const std::string packed = gzip(text, folder.path / "a.gz");
  CHECK(read_lines(folder.path / "a.gz").size() == 20000);
  CHECK(read_lines(folder.file(packed, "named.txt")).size() == 20000);
  CHECK_THROWS_AS(read_lines(folder.file(packed.substr(0, packed.size() / 2), "half.gz")),
                  DataError);
  CHECK_THROWS_AS(read_lines(folder.file(packed.substr(0, packed.size() - 4), "tail.gz")),
                  DataError);
  std::string flipped = packed;
  flipped[packed.size() / 2] ^= 0x10;
  CHECK_THROWS_AS(read_lines(folder.file(flipped, "flipped.gz")), DataError);
}

TEST_CASE("lines: corpora without text are rejected with their content described", "[text]") {
  Folder folder;
  CHECK_THROWS_WITH(read_lines(folder.file("")), Contains("is empty"));
  CHECK_THROWS_WITH(read_lines(folder.file("\n \n\t\n")), Contains("only empty lines"));
  std::string binary;
  for (int i = 0; i < 40000; ++i) binary += static_cast<char>(i * 7919 >> 3);
  CHECK_THROWS_AS(read_lines(folder.file(binary)), DataError);
  CHECK_THROWS_WITH(read_lines(folder.file(binary), {.invalid = InvalidText::kReplace}),
                    Contains("binary"));
  CHECK_THROWS_AS(read_lines(folder.path), DataError);
  CHECK_THROWS_WITH(read_lines(folder.path / "none.txt"), Contains("No such file"));
  std::string newlines(1000000, '\n');
  LineReader reader(folder.file(newlines));
  std::string line;
  while (reader.next(line)) {
  }
  CHECK(reader.counts().empty == 1000000);
}
