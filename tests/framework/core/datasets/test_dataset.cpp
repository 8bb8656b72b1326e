#include "framework/core/datasets/dataset.h"

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/datasets/dataset_writer.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

const std::vector<std::vector<int32_t>> kSentences = {{5, 6, 7}, {}, {4}, {9, 9, 8, 4}};

Vocabulary of_size(int32_t size) {
  return {.size = size, .bos = 1, .eos = 2, .pad = 0, .unk = 3};
}

/// Columns of every kind; images have several captions each.
void write_all(const std::filesystem::path& file) {
  DatasetWriter writer(
      file, {{.name = "captions", .vocabulary = of_size(20), .ragged = true},
             {.name = "label", .kind = ColumnKind::kLabel, .classes = 3},
             {.name = "score", .kind = ColumnKind::kNumber},
             {.name = "vector", .kind = ColumnKind::kVector, .shape = {2}},
             {.name = "image", .kind = ColumnKind::kImage, .shape = {1, 2, 2}},
             {.name = "views", .kind = ColumnKind::kVector, .shape = {1}, .ragged = true}});
  for (int32_t row = 0; row < 3; ++row) {
    for (int32_t item = 0; item <= row; ++item) {
      writer.add_text(0, std::vector<int32_t>(row + item, 5 * item + row));
    }
    const auto number = static_cast<float>(row);
    writer.add_label(1, row);
    writer.add_numbers(2, std::vector<float>{number / 4});
    writer.add_numbers(3, std::vector<float>{number, -number});
    writer.add_image(4, std::vector<uint8_t>{0, 255, static_cast<uint8_t>(row), 7});
    if (row != 1) writer.add_numbers(5, std::vector<float>{number});
    writer.end_row();
  }
  writer.finish();
}

}  // namespace

TEST_CASE("dataset: sentences are read back, with narrow and wide ids", "[data]") {
  const TemporaryFolder folder;
  for (const int32_t size : {10, 32768, 32769, 2000000}) {
    auto sentences = kSentences;
    sentences.push_back({size - 1});
    write_text_dataset(folder / "d", sentences, of_size(size));
    const Dataset dataset(folder / "d");
    REQUIRE(dataset.size() == 5);
    CHECK(dataset.total_tokens() == 9);
    CHECK(dataset.lengths() == std::vector<int64_t>{3, 0, 1, 4, 1});
    const DatasetColumn& text = dataset.column("text");
    CHECK(text.decl().vocabulary == of_size(size));
    for (int64_t row = 0; row < 5; ++row) CHECK(text.tokens(row) == sentences[row]);
    int64_t ids[4] = {};
    text.copy(3, 0, ids);
    CHECK(ids[2] == 8);
    CHECK_THROWS_AS(text.tokens(5), std::logic_error);
    CHECK_THROWS_AS(text.tokens(0, 1), std::logic_error);
  }
  write_text_dataset(folder / "none", {}, of_size(10));
  CHECK(Dataset(folder / "none").size() == 0);
}

TEST_CASE("dataset: a vocabulary may lack any special id", "[data]") {
  const TemporaryFolder folder;
  const Vocabulary bytes{.size = 256, .eos = 0};
  write_text_dataset(folder / "d", {{255}}, bytes);
  CHECK(Dataset(folder / "d").column("text").decl().vocabulary == bytes);
}

TEST_CASE("dataset: columns of every kind, fixed and ragged", "[data]") {
  const TemporaryFolder folder;
  write_all(folder / "d");
  const Dataset dataset(folder / "d");
  REQUIRE(dataset.size() == 3);
  CHECK(dataset.names() ==
        std::vector<std::string>{"captions", "label", "score", "vector", "image", "views"});
  const DatasetColumn& captions = dataset.column("captions");
  CHECK(captions.items(2) == 3);
  CHECK(captions.tokens(2, 1) == std::vector<int32_t>{7, 7, 7});
  CHECK(captions.longest(2) == 4);
  CHECK(dataset.lengths() == std::vector<int64_t>{0, 2, 4});
  CHECK(dataset.total_tokens() == 0 + 1 + 2 + 2 + 3 + 4);
  CHECK(dataset.column("label").tokens(2) == std::vector<int32_t>{2});
  float numbers[2] = {};
  dataset.column("score").copy(1, 0, numbers);
  CHECK(numbers[0] == 0.25F);
  dataset.column("vector").copy(2, 0, numbers);
  CHECK(numbers[1] == -2.0F);
  CHECK(dataset.column("vector").length(0) == 2);
  uint8_t pixels[4] = {};
  dataset.column("image").copy(2, 0, pixels);
  CHECK(pixels[2] == 2);
  CHECK(dataset.column("views").items(1) == 0);
  dataset.column("views").copy(2, 0, numbers);
  CHECK(numbers[0] == 2.0F);
  CHECK_THROWS_WITH(dataset.column("caption"), Contains("no column 'caption'; it has captions"));
}

TEST_CASE("dataset: equal rows give equal bytes, and an unfinished one leaves no files", "[data]") {
  const TemporaryFolder folder;
  write_all(folder / "a");
  write_all(folder / "b");
  CHECK(read_file(folder / "a") == read_file(folder / "b"));
  {
    DatasetWriter writer(folder / "c", {{.vocabulary = of_size(9)}});
    writer.add_text(0, std::vector<int32_t>{4});
    CHECK_THROWS_AS(writer.add_text(0, std::vector<int32_t>{9}), std::logic_error);
    CHECK_THROWS_AS(writer.add_label(0, 1), std::logic_error);
  }
  {
    DatasetWriter writer(folder / "c", {{.vocabulary = of_size(9)}});
    CHECK_THROWS_AS(writer.end_row(), std::logic_error);
  }
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path)) {
    ++files;
  }
  CHECK(files == 2);
}

TEST_CASE("dataset: more rows than a writer's buffers", "[data]") {
  const TemporaryFolder folder;
  const std::vector<int32_t> sentence(40, 5);
  DatasetWriter writer(folder / "d", {{.vocabulary = of_size(9)}});
  for (int row = 0; row < 20000; ++row) {
    writer.add_text(0, sentence);
    writer.end_row();
  }
  writer.finish();
  const Dataset dataset(folder / "d");
  CHECK(dataset.total_tokens() == 800000);
  CHECK(dataset.column("text").tokens(19999) == sentence);
}

TEST_CASE("dataset: columns of several datasets are joined row by row", "[data]") {
  const TemporaryFolder folder;
  write_all(folder / "all");
  write_text_dataset(folder / "text", {{5}, {6, 7}, {}}, of_size(10));
  write_text_dataset(folder / "four", kSentences, of_size(10));
  const Dataset joined = Dataset::join({Dataset(folder / "text"), Dataset(folder / "all")});
  CHECK(joined.names().front() == "text");
  CHECK(joined.names().size() == 7);
  CHECK(joined.lengths() == std::vector<int64_t>{1, 2, 4});
  CHECK(joined.column("text").tokens(1) == std::vector<int32_t>{6, 7});
  CHECK_THROWS_WITH(Dataset::join({joined, Dataset(folder / "four")}),
                    Contains("3 and 4 rows cannot be joined"));
  CHECK_THROWS_WITH(Dataset::join({joined, Dataset(folder / "text")}),
                    Contains("have a column 'text'"));
}

TEST_CASE("dataset: rows have parents, by which other columns are joined", "[data]") {
  const TemporaryFolder folder;
  const auto path = folder.path / "derived";
  {
    DatasetWriter writer(path, {{.vocabulary = of_size(9)}});
    writer.add_text(0, std::vector<int32_t>{5});
    writer.end_row(2);
    writer.add_text(0, std::vector<int32_t>{5});
    CHECK_THROWS_AS(writer.end_row(), std::logic_error);
  }
  DatasetWriter writer(path, {{.vocabulary = of_size(9)}});
  for (const int64_t parent : {2, 0, 2, 1}) {
    writer.add_text(0, std::vector<int32_t>(parent + 1, 5));
    writer.end_row(parent);
  }
  writer.finish();
  const Dataset derived(path);
  CHECK(derived.names() == std::vector<std::string>{"text"});
  CHECK(std::vector<int64_t>(derived.parents().begin(), derived.parents().end()) ==
        std::vector<int64_t>{2, 0, 2, 1});
  write_all(folder / "all");
  const Dataset all(folder / "all");
  CHECK(all.parents().empty());
  const Dataset beside = all.select(derived.parents());
  CHECK(beside.total_tokens() == 9 + 0 + 9 + 3);
  CHECK(beside.lengths() == std::vector<int64_t>{4, 0, 4, 2});
  const Dataset joined = Dataset::join({derived, beside});
  CHECK(joined.size() == 4);
  CHECK(joined.parents()[3] == 1);
  CHECK(joined.column("label").tokens(0) == std::vector<int32_t>{2});
  CHECK(joined.column("captions").items(3) == 2);
  CHECK(joined.column("captions").tokens(2, 1) == std::vector<int32_t>{7, 7, 7});
  // Selected rows: those of the file, and its parents.
  const std::vector<int64_t> last = {0, 3}, second = {1};
  const Dataset twice = joined.select(last).select(second);
  CHECK(twice.size() == 1);
  CHECK(twice.parents()[0] == 1);
  CHECK(twice.column("text").tokens(0).size() == 2);
  CHECK(twice.column("label").tokens(0) == std::vector<int32_t>{1});
  CHECK_THROWS_AS(twice.column("label").tokens(1), std::logic_error);
  const std::vector<int64_t> beyond = {0, 3};
  CHECK_THROWS_WITH(all.select(beyond), Contains("there is no row 4 in a dataset of 3 rows"));
  // A damaged index.
  std::string bytes = read_file(path);
  const int64_t parents[] = {2, 0, 2, 1};
  const size_t at = bytes.find(std::string(reinterpret_cast<const char*>(parents), sizeof parents));
  REQUIRE(at != std::string::npos);
  bytes[at + 7] = '\x80';
  write_file_synced(path, bytes);
  CHECK_THROWS_WITH(Dataset(path), Contains("negative indices of parents"));
}

TEST_CASE("dataset: flipped bytes cause no reads out of bounds, truncated files are rejected",
          "[data]") {
  const TemporaryFolder folder;
  const auto path = folder.path / "d.bin";
  write_all(path);
  const std::string whole = read_file(path);
  for (size_t at = 0; at < whole.size(); ++at) {
    CAPTURE(at);
    std::string bytes = whole;
    bytes[at] ^= static_cast<char>(1 << (at % 8));
    write_file_synced(path, bytes);
    try {
      const Dataset dataset(path);  // an accepted file is a different but complete dataset
      for (const DatasetColumn& column : dataset.columns()) {
        for (int64_t row = 0; row < column.size(); ++row) {
          for (int64_t item = 0; item < column.items(row); ++item) {
            std::vector<double> values(column.length(row, item));
            column.copy(row, item, values.data());
          }
        }
      }
    } catch (const DataError& error) {
      CHECK_THAT(error.what(), Contains("d.bin"));
    }
    write_file_synced(path, whole.substr(0, at));
    CHECK_THROWS_AS(Dataset(path), DataError);
  }
  write_file_synced(path, whole + "x");
  CHECK_THROWS_WITH(Dataset(path), Contains("d.bin"));
  CHECK_THROWS_WITH(Dataset(folder.path / "none"), Contains("No such file"));
}

TEST_CASE("dataset: mismatches with the declaration are named", "[data]") {
  const TemporaryFolder folder;
  const auto path = folder.path / "d";
  const auto refused = [&](const std::string& from, const std::string& to, const char* why) {
    write_all(path);
    std::string bytes = read_file(path);
    const size_t at = bytes.find(from);
    REQUIRE(at != std::string::npos);
    REQUIRE(from.size() == to.size());
    write_file_synced(path, bytes.replace(at, from.size(), to));
    CHECK_THROWS_WITH(Dataset(path), Contains(why));
  };
  refused("lvtext.dataset/1", "lvtext.dataset/9", "do not specify the schema lvtext.dataset/1");
  refused(R"(\"kind\":\"label\")", R"(\"kind\":\"lapel\")", "column 'label': unknown kind 'lapel'");
  refused(R"(\"classes\":3)", R"(\"classes\":2)", "'label' has the id 2, which is not in [0, 2)");
  refused(R"(\"size\":20)", R"(\"size\":12)", "'captions' has the id 12, which is not in [0, 12)");
  refused(R"(\"shape\":[2])", R"(\"shape\":[3])", "'vector' has the wrong dtype or shape");
  refused(R"("views.rows":)", R"("views.rowz":)", "'views.rows' is missing");
}
