// Records with several texts, numbers and images: readers, splits, files.
#include <numeric>
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/datasets/dataset.h"
#include "framework/core/options/yaml.h"
#include "framework/core/sources/load_splits.h"
#include "framework/core/sources/split_files.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;
using Texts = std::vector<std::string>;
using Numbers = std::vector<float>;

namespace {

const char* kTypes =
    "{types: {captions: {ragged: true}, image: {kind: image, shape: [1, 2, 2]}, "
    "age: {kind: number}}}";

/// A file of objects with an image, captions, a number and a label.
struct Images {
  TemporaryFolder folder;
  DataOptions options;

  explicit Images(const std::string& lines, const std::string& types = kTypes) {
    write_file_synced(folder / "images.jsonl", lines);
    options.train = folder / "images.jsonl";
    options.reader = Choice<RecordReader>("json_lines", parse_yaml_or_throw(types));
    options.fields = {"image", "captions", "age", "sex"};
    options.labels = {{"sex", {"f", "m"}}};
  }
  Splits load() const { return load_splits(options, {}); }
};

std::string line_of(int i, const std::string& captions) {
  const std::string pixel = std::to_string(i % 256);
  return "{\"image\": [[[" + pixel + ", 0], [255, 7]]], \"captions\": " + captions +
         ", \"age\": " + std::to_string(i) + ".5, \"sex\": \"" + (i % 2 == 0 ? "F" : "m") + "\"}\n";
}

std::string many(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) {
    lines += line_of(i, "[\" a  caption \", \"number " + std::to_string(i) + "\", \" \"]");
  }
  return lines;
}

/// Generates images of one byte with their captions.
struct DrawnImages : RecordReader {
  bool one_pixel = true;

  template <class V>
  void visit(V& v) {
    v.field("one_pixel", one_pixel, "as its types say");
  }
  std::vector<std::string> fields() const override { return {"image", "captions"}; }
  FieldTypes types() const override {
    return {{"image", {.kind = ColumnKind::kImage, .shape = {1, 1, 1}}},
            {"captions", {.ragged = true}}};
  }
  bool generates() const override { return true; }
  Record draw(uint64_t seed, uint64_t index) const override {
    const auto pixel = static_cast<float>((seed + index) % 256);
    return {one_pixel ? Numbers{pixel} : Numbers{}, Texts{"one", "two " + std::to_string(index)}};
  }
};

}  // namespace

TEST_CASE("typed records: JSON lines give texts, numbers and images", "[data]") {
  const Images images(many(100) + line_of(100, "[\" \", \"\"]") + line_of(1, "[\"a\"]") +
                      line_of(1, "[\"a\"]"));
  const Splits splits = images.load();
  CHECK(splits.counts.empty == 1);
  CHECK(splits.counts.duplicates == 1);
  const Records& train = splits.records.at("train");
  CHECK(train.fields == images.options.fields);
  CHECK(train.types.at("image").shape == std::vector<int64_t>{1, 2, 2});
  CHECK(train.types.at("captions").ragged);
  CHECK_FALSE(train.types.contains("sex"));
  CHECK(splits.counts.pool == 101);
  for (const Record& record : train.rows) {
    const auto age = std::get<Numbers>(record[2]).front();
    CHECK(record[0] == FieldValue(ImageBytes({static_cast<uint8_t>(age), 0, 255, 7})));
    const auto& captions = std::get<Texts>(record[1]);
    CHECK((captions == Texts{"a"} || captions.front() == "a caption"));
    CHECK(text_of(record[3]) == (static_cast<int>(age) % 2 == 0 ? "f" : "m"));
  }
  CHECK(images.load().records.at("train").rows == train.rows);
  CHECK(train.column("sex").size() == train.rows.size());
  CHECK_THROWS_WITH(train.column("captions"), Contains("'captions' contains texts, not one text"));
  CHECK_THROWS_WITH(train.column("six"), Contains("no column 'six'; did you mean 'sex'"));
  CHECK_THROWS_WITH(train.texts(), Contains("the records have no text column"));
}

TEST_CASE("typed records: max_words applies to the longest caption", "[data]") {
  Images images(many(60) + line_of(60, "[\"short\", \"a b c d e\"]"));
  images.options.max_words = 4;
  CHECK(images.load().counts.too_long == 1);
}

TEST_CASE("typed records: files of splits keep all values", "[data]") {
  const Images images(many(60));
  const TemporaryFolder folder;
  const Splits splits = images.load();
  write_records(splits.records, folder.path);
  const auto read_valid = [&] {
    return read_split_records("valid", [&](const auto& file) { return folder / file; });
  };
  const Records read = read_valid();
  CHECK(read.rows == splits.records.at("valid").rows);
  CHECK(read.types == splits.records.at("valid").types);
  CHECK(read.labels == splits.records.at("valid").labels);
  CHECK(read.parents.empty());
  const std::string lines = read_file(folder / "valid.jsonl");
  CHECK_THAT(lines, Contains("{\"image\":0,\"captions\":[\"a caption\""));
  // An image that several records share is stored once.
  Records twice = splits.records.at("valid");
  const auto& once = splits.records.at("valid").rows;
  twice.rows.insert(twice.rows.end(), once.begin(), once.end());
  write_records({{"valid", twice}}, folder.path);
  CHECK(read_valid().rows == twice.rows);
  CHECK(Dataset(folder / "valid.image.safetensors").size() == std::ssize(read.rows));
  // Lists of pixels, as earlier versions wrote them, are read, too.
  write_file_synced(folder / "valid.jsonl",
                    R"({"image": [3, 0, 255, 7], "captions": [], "age": 1, "sex": "f"})");
  CHECK(read_valid().rows[0][0] == FieldValue(ImageBytes({3, 0, 255, 7})));
  write_file_synced(folder / "valid.jsonl",
                    R"({"image": 99, "captions": [], "age": 1, "sex": "f"})");
  CHECK_THROWS_WITH(read_valid(), Contains("'valid.image.safetensors' has no image"));
  // Invalid images, with sizes as numbers of any magnitude.
  const Records numbers{
      {"v", "n"},
      {},
      {{Numbers{0.1F, -3e-30F}, Numbers{1e20F}}},
      {{"v", {.kind = ColumnKind::kVector, .shape = {2}}}, {"n", {.kind = ColumnKind::kNumber}}}};
  CHECK(parse_json_lines(to_json_lines(numbers), numbers).rows == numbers.rows);
  // Sets with texts only are described as before types existed.
  const Records texts{{"text"}, {}, {{"a"}}};
  write_records({{"train", texts}}, folder.path);
  CHECK(read_file(folder / kRecordsFile) ==
        "{\n \"fields\": [\n  \"text\"\n ],\n \"labels\": {}\n}\n");
  CHECK(read_file(folder / "train.jsonl") == "{\"text\":\"a\"}\n");
}

TEST_CASE("typed records: files of derived records contain the parents", "[data]") {
  const Records derived{{"text"}, {}, {{"a"}, {"b"}}, {}, {4, 9}};
  const std::string text = to_json_lines(derived);
  CHECK(text == "{\"text\":\"a\",\"@parent\":4}\n{\"text\":\"b\",\"@parent\":9}\n");
  CHECK(parse_json_lines(text, {{"text"}, {}, {}}).parents == derived.parents);
  CHECK(derived.parent(1) == 9);
}

TEST_CASE("typed records: values of a wrong type are named", "[data]") {
  const auto refused = [](const std::string& lines, const char* why) {
    CHECK_THROWS_WITH(Images(lines).load(), Contains(why));
  };
  const auto with_image = [](const std::string& image) {
    return many(3) + "{\"image\": " + image +
           ", \"captions\": [\"a\"], \"age\": 1, \"sex\": \"f\"}";
  };
  refused(with_image("[1, 2, 3]"),
          "record 4: the field 'image' has 3 numbers, not an image of 1x2x2 bytes");
  refused(with_image("[1, 2, 3, 256]"), "record 4: the field 'image' has 256, which is not a byte");
  refused(with_image("[1, 2, 3, 0.5]"), "'image' has 0.5, which is not a byte");
  refused(with_image("\"black\""), "record 4, line 4: expected only numbers at 'image'");
  refused(line_of(0, "\"a\""), "expected a list of texts at 'captions'");
  refused(line_of(0, "[1]"), "expected a text at 'captions'");
  Images labeled(many(50));
  labeled.options.labels["age"] = {"1"};
  CHECK_THROWS_WITH(labeled.load(),
                    Contains("'age' of 'own text' contains a number and cannot be a label"));
}

TEST_CASE("typed records: impossible types of fields are errors of the options", "[data]") {
  const auto refused = [](const std::string& types, const char* why) {
    CHECK_THROWS_WITH(
        Choice<RecordReader>("json_lines", parse_yaml_or_throw("types: {x: " + types + "}")),
        Contains(why));
  };
  refused("{kind: label}", "labels are texts whose values are listed in `labels`");
  refused("{kind: image, shape: [8]}", "of an image [channels, rows, columns]");
  refused("{kind: number, shape: [2]}", "else unset");
  refused("{kind: vector, shape: [2], ragged: true}", "only texts can be ragged");
  refused("{}", "one text has no type");
}

TEST_CASE("typed records: produced by a generator", "[data]") {
  add_component<DrawnImages>(RecordReader::components(), "drawn_images", "for this test");
  const TemporaryFolder folder;
  const auto set = [&](const std::string& reader) {
    write_file_synced(folder / "drawn.yaml",
                      "name: drawn\ntitle: t\nlicense: l\ncitation: c\nrelatives: []\n"
                      "fields: [image, captions]\nuse: [image, captions]\n"
                      "draws: {records: {train: 10, valid: 2, test: 2}}\nreader: " +
                          reader + "\n");
    DataOptions options;
    options.set = "drawn";
    return load_splits(options, {}, {folder.path}).records;
  };
  const auto records = set("drawn_images");
  REQUIRE(records.at("train").rows.size() == 10);
  CHECK(std::get<Texts>(records.at("train").rows[0][1]) == Texts{"one", "two 4"});
  CHECK(records.at("test").rows[1][0] == FieldValue(ImageBytes({3})));
  std::filesystem::last_write_time(folder / "drawn.yaml", {});
  CHECK_THROWS_WITH(set("{type: drawn_images, one_pixel: false}"),
                    Contains("'drawn', record 1: the field 'image' has 0 numbers"));
}

TEST_CASE("typed records: unset types are not part of a fingerprint", "[data]") {
  Images images(many(50), "{}");
  images.options.fields = {"sex"};
  const auto print = data_fingerprint(images.options);
  CHECK(print.at("files")[0].at("reader") ==
        nlohmann::json{{"type", "json_lines"}, {"keys", nlohmann::json::object()}});
  images.options.reader = Choice<RecordReader>("json_lines", parse_yaml_or_throw(kTypes));
  CHECK(data_fingerprint(images.options) != print);
}
