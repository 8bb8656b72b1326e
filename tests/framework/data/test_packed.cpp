#include "framework/data/packed.h"

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

const std::vector<std::vector<int32_t>> kSentences = {{5, 6, 7}, {}, {4}, {9, 9, 8, 4}};

}  // namespace

TEST_CASE("packed: sentences come back, with narrow and wide ids", "[data]") {
  const TemporaryFolder folder;
  for (const int32_t vocab : {10, 65536, 65537, 2000000}) {
    auto sentences = kSentences;
    sentences.push_back({vocab - 1});
    PackedCorpus::write(folder.path / "c.bin", sentences, vocab);
    const PackedCorpus corpus(folder.path / "c.bin");
    REQUIRE(corpus.size() == 5);
    CHECK(corpus.total_tokens() == 9);
    CHECK(corpus.vocab() == vocab);
    CHECK(corpus.lengths() == std::vector<int64_t>{3, 0, 1, 4, 1});
    for (int64_t i = 0; i < corpus.size(); ++i) CHECK(corpus.tokens(i) == sentences[i]);
    int64_t row[4] = {};
    corpus.copy(3, row);
    CHECK(row[2] == 8);
    CHECK_THROWS_AS(corpus.tokens(5), std::logic_error);
  }
  CHECK_THROWS_AS(PackedCorpus::write(folder.path / "c.bin", {{10}}, 10), std::logic_error);
}

TEST_CASE("packed: identity is the content's", "[data]") {
  const TemporaryFolder folder;
  PackedCorpus::write(folder.path / "a", kSentences, 10);
  PackedCorpus::write(folder.path / "b", kSentences, 10);
  PackedCorpus::write(folder.path / "c", kSentences, 11);
  CHECK(PackedCorpus(folder.path / "a").sha256() == PackedCorpus(folder.path / "b").sha256());
  CHECK(PackedCorpus(folder.path / "a").sha256() != PackedCorpus(folder.path / "c").sha256());
  PackedCorpus::write(folder.path / "none", {}, 10);
  CHECK(PackedCorpus(folder.path / "none").size() == 0);
}

TEST_CASE("packed: every flipped byte and every truncation is refused", "[data]") {
  const TemporaryFolder folder;
  const auto path = folder.path / "c.bin";
  PackedCorpus::write(path, kSentences, 10);
  const std::string whole = read_file(path);
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] ^= static_cast<char>(1 << (at % 8));
    write_file_synced(path, bytes);
    CAPTURE(at);
    CHECK_THROWS_AS(PackedCorpus(path), DataError);
    write_file_synced(path, whole.substr(0, at));
    CHECK_THROWS_AS(PackedCorpus(path), DataError);
  }
  write_file_synced(path, whole + "x");
  CHECK_THROWS_WITH(PackedCorpus(path), Contains("c.bin"));
  CHECK_THROWS_WITH(PackedCorpus(folder.path / "none"), Contains("No such file"));
}
