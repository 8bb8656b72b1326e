// Corpora that cannot be used, set by data.train=FILE.
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/memory.h"
#include "framework/core/datasets/dataset.h"
#include "framework/core/sources/load_splits.h"
#include "framework/core/text/lines.h"
#include "framework/core/text/sentencepiece.h"
#include "tests/framework/core/base/child.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

struct Corpus : TemporaryFolder {
  fs::path file = path / "corpus.txt";

  void holds(const std::string& content) const { write_file_synced(file, content); }
  Splits load() const {
    DataOptions options;
    options.train = file;
    return load_splits(options, {});
  }
};

}  // namespace

TEST_CASE("bad input: the error of a corpus without text describes its content", "[data]") {
  const Corpus corpus;
  corpus.holds("\n  \n\t\n\r\n");
  CHECK_THROWS_AS(corpus.load(), DataError);
  CHECK_THROWS_WITH(corpus.load(), Contains("only empty lines") && Contains("corpus.txt"));
  corpus.holds("");
  CHECK_THROWS_WITH(corpus.load(), Contains("is empty"));
}

TEST_CASE("bad input: a table of columns is not a text of one sentence per line", "[data]") {
  const Corpus corpus;
  corpus.holds("1\tone\tx\n\n2\ttwo\ty\n");
  CHECK_THROWS_AS(corpus.load(), DataError);
  CHECK_THROWS_WITH(corpus.load(), Contains("each line has 3 columns separated by tabs") &&
                                       Contains("{type: columns, columns: [text, -, -]}"));
  std::string text = "no tab\n";
  for (int i = 0; i < 100; ++i) text += "a\tb " + std::to_string(i) + "\n";
  corpus.holds(text);
  CHECK(corpus.load().counts.lines == 101);
}

TEST_CASE("bad input: a line of 100 MB is rejected in little memory", "[data]") {
  const Corpus corpus;
  {
    std::ofstream file(corpus.file);
    file << "short\n";
    const std::string part(1 << 20, 'x');
    for (int k = 0; k < 100; ++k) file << part;
    file << "\n";
  }
  const uint64_t before = peak_memory();
  CHECK_THROWS_WITH(corpus.load(), Contains("line 2") && Contains("1.0 MiB"));
  CHECK(peak_memory() - before < 32 << 20);
}

TEST_CASE("bad input: truncated or modified gzip is not treated as the end of the text", "[data]") {
  const Corpus corpus;
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "line " + std::to_string(i * 7919 % 10007) + "\n";
  gzFile file = gzopen(corpus.file.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  const std::string packed = read_file(corpus.file);
  CHECK(corpus.load().counts.lines == 5000);
  corpus.holds(packed.substr(0, packed.size() * 2 / 3));
  CHECK_THROWS_WITH(corpus.load(), Contains("damaged or truncated") && Contains("corpus.txt"));
  std::string changed = packed;
  changed[packed.size() / 2] = static_cast<char>(changed[packed.size() / 2] ^ 0x10);
  corpus.holds(changed);
  CHECK_THROWS_AS(corpus.load(), DataError);
  corpus.holds(packed.substr(0, 10));  // only a header
  CHECK_THROWS_AS(corpus.load(), DataError);
}

TEST_CASE("bad input: text that is not UTF-8, with each policy", "[data]") {
  const Corpus corpus;
  corpus.holds("good\nalso good\nlatin \xE9t\xE9\nstill good\n");
  CHECK_THROWS_WITH(corpus.load(), Contains("line 3, byte 7") && Contains("UTF-8"));
  LineCounts counts;
  CHECK(read_lines(corpus.file, {.invalid = InvalidText::kReplace}, &counts).at(2) ==
        "latin \xEF\xBF\xBDt\xEF\xBF\xBD");
  CHECK(counts.replaced == 1);
  CHECK(read_lines(corpus.file, {.invalid = InvalidText::kSkip}, &counts).size() == 3);
  CHECK(counts.skipped == 1);
  CHECK(counts.first_invalid == 3);
}

TEST_CASE("bad input: a FIFO, a device or a folder is not a corpus, and the error contains its key",
          "[data]") {
  const TemporaryFolder folder;
  const fs::path fifo = folder.path / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  for (const fs::path& path : {fifo, folder.path, fs::path("/dev/zero")}) {
    for (const bool is_extra : {false, true}) {
      // In a child, whose alarm kills it if reading blocks or does not end.
      CHECK(wait_for(spawn([&, path = path] {
              ::alarm(5);
              DataOptions options;
              (is_extra ? options.extra["reverse"] : options.train) = path;
              try {
                data_fingerprint(options);
                return 1;
              } catch (const Error& error) {
                const std::string text = error.what();
                if (!text.starts_with("data.") || text.find("not a regular file") == text.npos)
                  return 2;
              }
              try {
                load_splits(options, {});
                return 3;
              } catch (const Error& error) {
                return error.code() == Exit::kBadData ? 0 : 4;
              }
            })) == 0);
    }
  }
}

TEST_CASE("bad input: missing files are MissingError in all readers", "[data]") {
  const Corpus corpus;
  CHECK_THROWS_AS(corpus.load(), MissingError);
  CHECK_THROWS_AS(LineReader(corpus.file), MissingError);
  CHECK_THROWS_AS(Dataset(corpus.file), MissingError);
  CHECK_THROWS_AS(SentencePiece::load(corpus.file), MissingError);
  // A file where the path needs a folder.
  corpus.holds("text\n");
  DataOptions options;
  options.train = corpus.file / "train.txt";
  CHECK_THROWS_AS(load_splits(options, {}), MissingError);
  CHECK_THROWS_WITH(load_splits(options, {}), Contains("'" + corpus.file.string() + "' is a file"));
  CHECK_THROWS_AS(Dataset(corpus.file / kDatasetFile), MissingError);
}
