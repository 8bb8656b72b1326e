#include "framework/core/text/lines.h"

#include <sys/stat.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/strings.h"
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

TEST_CASE("lines: byte order marks of joined files are removed", "[text]") {
  Folder folder;
  CHECK(read_lines(folder.file("\uFEFFone\n\uFEFF\uFEFFtwo\nthree\uFEFF\n")) ==
        std::vector<std::string>{"one", "two", "three\uFEFF"});
}

TEST_CASE("lines: a file whose lines end in CR alone is rejected", "[text]") {
  Folder folder;
  for (const std::string& text :
       {std::string("one\rtwo\r"), std::string("one\rtwo"), "one\r" + std::string(2 << 20, 'x')}) {
    CHECK_THROWS_WITH(read_lines(folder.file(text)),
                      Contains("end in CR alone") && Contains("tr '\\r'"));
  }
  CHECK(read_lines(folder.file("one\r")) == std::vector<std::string>{"one"});
}

TEST_CASE("lines: blanks of Unicode are no text", "[text]") {
  Folder folder;
  LineCounts counts;
  read_lines(folder.file("\u00A0\n\u3000 \n\u200B\na\n"), {}, &counts);
  CHECK(counts.empty == 3);
  CHECK_THROWS_WITH(read_lines(folder.file("\u3000")), Contains("only empty lines (1 line)"));
}

TEST_CASE("lines: files of other formats are named, with what to do", "[text]") {
  Folder folder;
  const auto says = [&](const std::string& content, const std::string& what) {
    CHECK_THROWS_AS(read_lines(folder.file(content)), DataError);
    CHECK_THROWS_WITH(read_lines(folder.file(content)),
                      Contains("corpus.txt' is ") && Contains(what));
  };
  const auto wide = [](const std::string& ascii, int before, int after) {
    std::string text;
    for (const char c : ascii) text += std::string(before, '\0') + c + std::string(after, '\0');
    return text;
  };
  const std::string nul(1, '\0'), text = "one two\nthree\n";
  says("\xFF\xFE" + wide(text, 0, 1), "UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8");
  says("\xFE\xFF" + wide(text, 1, 0), "UTF-16 text");
  says(wide(text, 0, 1), "UTF-16LE");
  says(wide(text, 1, 0), "UTF-16BE");
  says("\xFF\xFE" + nul + nul + wide(text, 0, 3), "UTF-32 text");
  says(wide(text, 3, 0), "UTF-32BE");
  says(wide(text, 0, 3), "UTF-32LE");
  says("\x80\x04\x95" + nul, "pickle");
  says("\x93NUMPY\x01" + nul, "NumPy");
  says("\xBA\x16\x4F\x2F" + nul, "fastText; use its file of word vectors (.vec)");
  says(
      "\xFD"
      "7zXZ" +
          nul,
      "xz -dc");
  says("BZh91AY&SY", "bzip2 -dc");
  says("\x28\xB5\x2F\xFD", "zstd -dc");
  says("PK\x03\x04", "unzip");
  says("\n<!DOCTYPE html>\n<p>text</p>\n", "a page of HTML");
  says("<HTML lang=en>\n", "a page of HTML");
  says("\xEF\xBB\xBF<!DOCTYPE html>\n", "a page of HTML");  // behind a byte order mark
  says("%PDF-1.5\n", "pdftotext");
  says("a.txt" + std::string(252, '\0') + "ustar", "tar xf");
  gzip(gzip(text, folder.path / "once.gz"), folder.path / "corpus.txt");
  CHECK_THROWS_WITH(read_lines(folder.path / "corpus.txt"), Contains("compressed by gzip twice"));
  CHECK(read_lines(folder.file("BZh is a word\n")).size() == 1);
  // A first member of a gzip file that is shorter than what recognizes a format.
  const std::string wide_text = "\xFF\xFE" + wide(text, 0, 1);
  says(gzip(wide_text.substr(0, 1), folder.path / "a.gz") +
           gzip(wide_text.substr(1), folder.path / "b.gz"),
       "UTF-16 text");
}

TEST_CASE("lines: every member of a gzip file is read, and other data behind them are an error",
          "[text]") {
  Folder folder;
  std::string text;
  for (int i = 0; i < 30000; ++i) text += "line " + std::to_string(i * 7919 % 10007) + "\n";
  const std::string packed = gzip(text, folder.path / "a.gz");
  CHECK(read_lines(folder.file(packed + packed)).size() == 60000);
  CHECK(read_lines(folder.file(packed + std::string(100000, '\0'))).size() == 30000);
  const auto says = [&](const std::string& content, const std::string& what) {
    CHECK_THROWS_AS(read_lines(folder.file(content)), DataError);
    CHECK_THROWS_WITH(read_lines(folder.file(content)), Contains(what));
  };
  says(packed + "more text\n", "other data follow the first " + format_count(std::ssize(packed)));
  says(packed + std::string(10, '\0') + packed, "other data follow");
  std::string damaged = packed;
  damaged[1] = 0;  // the header of the second member
  says(packed + damaged, "damaged or truncated (incorrect header check, member 2)");
  damaged = packed;
  damaged[packed.size() - 6] ^= 1;  // its checksum
  says(packed + damaged, "incorrect data check, member 2");
  says(packed + packed.substr(0, packed.size() / 2), "unexpected end of file, member 2");
  says(packed + packed.substr(0, 1), "unexpected end of file, member 2");
}

TEST_CASE("lines: a FIFO is read where a file is read once", "[text]") {
  Folder folder;
  const fs::path fifo = folder.path / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(read_lines(fifo), Contains("it is a FIFO") &&
                                          Contains("can be read only once") && Contains("cat "));
  std::thread writer([&] {
    std::ofstream file(fifo);
    for (int i = 0; i < 100000; ++i) file << "line " << i << "\n";
  });
  const auto lines = read_lines(fifo, {.pipes = Pipes::kAccept});
  writer.join();
  REQUIRE(lines.size() == 100000);
  CHECK(lines.back() == "line 99999");
  CHECK_THROWS_WITH(read_lines("/dev/zero", {.pipes = Pipes::kAccept}), Contains("a device"));
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
