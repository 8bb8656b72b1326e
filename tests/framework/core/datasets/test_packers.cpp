// Packers: from records to datasets.
#include "framework/core/base/error.h"
#include "framework/core/datasets/dataset.h"
#include "framework/core/datasets/packer.h"
#include "framework/core/text/words.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;
using Ids = std::vector<int32_t>;

namespace {

/// Every byte is a token except 'x', which is unknown.
class Bytes : public Tokenizer {
 public:
  TokenIds encode(std::string_view text) const override {
    TokenIds ids;
    for (const char c : text) ids.push_back(c == 'x' ? 1 : static_cast<uint8_t>(c));
    return ids;
  }
  std::string decode(std::span<const int32_t> ids) const override {
    return {ids.begin(), ids.end()};
  }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<bool> begins_word(int32_t) const override { return std::nullopt; }
  const std::string& sha256() const override { return sha256_; }

 private:
  Vocabulary vocabulary_{.size = 256, .unk = 1};
  std::string sha256_ = "bytes";
};

}  // namespace

TEST_CASE("packers: records become texts and labels, row by row", "[data]") {
  const TemporaryFolder folder;
  const Words words({"a", "b"}, {});
  const Records records{{"premise", "label", "hypothesis"},
                        {{"label", {"yes", "no"}}},
                        {{"a b a", "no", "b"}, {"c", "yes", "a"}}};
  const PackCounts counts = Choice<Packer>("text")->pack(records, words, folder / "d");
  CHECK(counts.rows == 2);
  CHECK(counts.tokens == 5);
  CHECK(counts.unknown == 0);
  CHECK(counts.without_tokens == 0);
  CHECK_FALSE(Choice<Packer>("text")->reads_running_text());
  const Dataset dataset(folder / "d");
  CHECK(dataset.names() == records.fields);
  CHECK(dataset.column("premise").tokens(0) == Ids{4, 5, 4});
  CHECK(dataset.column("premise").tokens(1).empty());
  CHECK(dataset.column("label").tokens(0) == Ids{1});
  CHECK(dataset.column("label").decl().classes == 2);
  CHECK(dataset.column("hypothesis").decl().vocabulary == words.vocabulary());
}

TEST_CASE("packers: rows without a token are counted", "[data]") {
  const TemporaryFolder folder;
  const Words words({"a", "b"}, {});
  const Records one{{"text"}, {}, {{"a c"}, {"c"}, {"c d"}, {""}}};
  CHECK(Choice<Packer>("text")->pack(one, words, folder / "one").without_tokens == 3);
  const Records pairs{{"x", "y"}, {}, {{"a", "c"}, {"c", "d"}}};
  CHECK(Choice<Packer>("text")->pack(pairs, words, folder / "pairs").without_tokens == 1);
  const Records labels{{"label"}, {{"label", {"yes"}}}, {{"yes"}}};
  CHECK(Choice<Packer>("text")->pack(labels, words, folder / "labels").without_tokens == 0);
}

TEST_CASE("packers: blocks are slices of the whole text, line ends included", "[data]") {
  const TemporaryFolder folder;
  const Bytes bytes;
  const Choice<Packer> blocks("blocks", Node::mapping({{"length", Node::scalar("4"), {}}}));
  const Records records{{"text"}, {}, {{"abx"}, {""}, {" d"}, {"efgh"}}};
  const PackCounts counts = blocks->pack(records, bytes, folder / "d");
  CHECK(counts.rows == 3);  // "abx\n" "\n d\n" "efgh"; the last "\n" is dropped
  CHECK(counts.tokens == 12);
  CHECK(counts.dropped == 1);
  CHECK(blocks->reads_running_text());
  CHECK(counts.unknown == 1);
  const DatasetColumn text = Dataset(folder / "d").column("text");
  CHECK(text.tokens(0) == Ids{'a', 'b', 1, '\n'});
  CHECK(text.tokens(1) == Ids{'\n', ' ', 'd', '\n'});
  CHECK(text.tokens(2) == Ids{'e', 'f', 'g', 'h'});
  blocks->pack({{"text"}, {}, {{"ab"}}}, bytes, folder / "short");
  CHECK(Dataset(folder / "short").size() == 0);
  CHECK_THROWS_WITH(blocks->pack({{"one", "two"}, {}, {}}, bytes, folder / "e"),
                    Contains("the records have one, two"));
}

namespace {

/// Two images with three captions and a score.
Records images() {
  return {{"image", "captions", "score"},
          {},
          {{ImageBytes({0, 255}), std::vector<std::string>{"a b a", "b"}, std::vector<float>{0.5}},
           {ImageBytes({7, 8}), std::vector<std::string>{"b b"}, std::vector<float>{-1}}},
          {{"image", {.kind = ColumnKind::kImage, .shape = {1, 1, 2}}},
           {"captions", {.ragged = true}},
           {"score", {.kind = ColumnKind::kNumber}}},
          {3, 1}};
}

}  // namespace

TEST_CASE("packers: captions keep several texts with images and numbers", "[data]") {
  const TemporaryFolder folder;
  const Words words({"a", "b"}, {});
  const Choice<Packer> captions("captions");
  const PackCounts counts = captions->pack(images(), words, folder / "d");
  CHECK(counts.rows == 2);
  CHECK(counts.tokens == 6);
  const Dataset dataset(folder / "d");
  CHECK(dataset.names() == images().fields);
  const DatasetColumn& texts = dataset.column("captions");
  CHECK(texts.items(0) == 2);
  CHECK(texts.tokens(0, 0) == Ids{4, 5, 4});
  CHECK(texts.tokens(1, 0) == Ids{5, 5});
  uint8_t pixels[2] = {};
  dataset.column("image").copy(0, 0, pixels);
  CHECK(pixels[1] == 255);
  float score = 0;
  dataset.column("score").copy(1, 0, &score);
  CHECK(score == -1);
  CHECK(dataset.parents()[0] == 3);
  CHECK(dataset.parents()[1] == 1);
  const Choice<Packer> cut("captions", Node::mapping({{"max_words", Node::scalar("2"), {}}}));
  CHECK(cut->pack(images(), words, folder / "cut").tokens == 5);
  CHECK(Dataset(folder / "cut").column("captions").tokens(0, 0) == Ids{4, 5});
}

TEST_CASE("packers: records that a packer does not support are named", "[data]") {
  const TemporaryFolder folder;
  const Words words({"a", "b"}, {});
  CHECK_THROWS_WITH(Choice<Packer>("text")->pack(images(), words, folder / "d"),
                    Contains("the column 'captions' has several texts in each record") &&
                        Contains("`flatten: captions`"));
  CHECK_THROWS_WITH(
      Choice<Packer>("captions")->pack({{"text"}, {}, {}}, words, folder / "d"),
      Contains("'captions' requires several texts per record; the records have text"));
  Records vectors{{"v"}, {}, {}, {{"v", {.kind = ColumnKind::kVector, .shape = {2}}}}};
  CHECK_THROWS_WITH(Choice<Packer>("blocks")->pack(vectors, words, folder / "d"),
                    Contains("'blocks' requires a single text field; the records have v"));
  vectors.rows = {{std::vector<float>{1, 2}}};
  CHECK(Choice<Packer>("text")->pack(vectors, words, folder / "d").rows == 1);
  CHECK(Dataset(folder / "d").column("v").length(0) == 2);
  CHECK(Dataset(folder / "d").parents().empty());
}
