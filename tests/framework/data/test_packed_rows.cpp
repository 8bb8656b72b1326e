// Packed corpora side by side.
#include "framework/data/packed_rows.h"

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

TEST_CASE("packed rows: written and read back", "[data]") {
  const TemporaryFolder folder;
  const auto files = PackedRows::write(folder.path, {{"one", false, 20, {{4, 5}, {}, {6}}},
                                                     {"two", false, 20, {{7}, {8, 9, 10}, {}}},
                                                     {"label", true, 3, {{2}, {0}, {1}}}});
  CHECK(files == std::vector<std::string>{"one.pack", "two.pack", "label.pack", "fields.json"});
  const PackedRows rows = PackedRows::read(folder.path);
  CHECK(rows.size() == 3);
  CHECK(rows.lengths() == std::vector<int64_t>{2, 3, 1});
  CHECK(rows.total_tokens() == 7);
  CHECK(rows.vocabulary() == 20);
  CHECK(rows.classes() == 3);
  CHECK(rows.fields()[1].corpus->tokens(1) == std::vector<int32_t>{8, 9, 10});
}

TEST_CASE("packed rows: a corpus alone is the field text", "[data]") {
  const TemporaryFolder folder;
  PackedCorpus::write(folder / "corpus.pack", {{4, 5}, {6}}, 9);
  const PackedRows rows = PackedRows::read(folder.path);
  CHECK(rows.fields().front().name == "text");
  CHECK(rows.lengths() == std::vector<int64_t>{2, 1});
  CHECK(rows.classes() == 0);
}

TEST_CASE("packed rows: what does not fit is named", "[data]") {
  const auto says = [](const std::vector<PackedRows::NewField>& fields, const char* what) {
    const TemporaryFolder folder;
    PackedRows::write(folder.path, fields);
    CHECK_THROWS_WITH(PackedRows::read(folder.path), Contains(what));
  };
  says({{"one", false, 9, {{4}}}, {"two", false, 9, {{4}, {5}}}}, "another number of rows");
  says({{"one", false, 9, {{4}}}, {"two", false, 8, {{4}}}}, "other vocabularies");
  says({{"one", false, 9, {{4}}}, {"y", true, 3, {{1, 1}}}}, "is not one id in every row");
  says({{"y", true, 3, {{1}}}}, "none of the fields is a text");
  const TemporaryFolder folder;
  write_file_synced(folder / "fields.json", "[]");
  CHECK_THROWS_WITH(PackedRows::read(folder.path), Contains("does not list fields"));
}
