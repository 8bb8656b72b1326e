#include <zlib.h>

#include <algorithm>
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/sources/json_records.h"
#include "framework/core/sources/load_splits.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "tests/text.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

const std::string kFixture = "tests/framework/core/sources/compression_records.json";

fs::path gzipped(const fs::path& path, const std::string& content) {
  make_folders(path.parent_path());
  gzFile file = gzopen(path.c_str(), "wb9");
  REQUIRE(file != nullptr);
  REQUIRE(gzwrite(file, content.data(), static_cast<unsigned>(content.size())) ==
          static_cast<int>(content.size()));
  REQUIRE(gzclose(file) == Z_OK);
  return path;
}

fs::path written(const fs::path& path, const std::string& content) {
  write_file_synced(path, content);
  return path;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// The texts of each field, as returned by the set's reader.
std::vector<std::vector<std::string>> read_fields(const fs::path& file,
                                                  const std::vector<std::string>& fields) {
  const Manifest set = load_manifest("sentence-compression", {"data"});
  std::vector<std::vector<std::string>> texts(fields.size());
  set.reader->read(file, fields, [&](Record record) {
    for (size_t i = 0; i < fields.size(); ++i) texts[i].push_back(text_of(record[i]));
  });
  return texts;
}

std::string refusal(const fs::path& file) {
  return message_of([&] { read_fields(file, {"compression"}); });
}

/// A record in the format of the release.
std::string record(const std::string& compression, const std::string& sentence) {
  const nlohmann::ordered_json json = {
      {"graph", {{"id", "1"}, {"sentence", sentence}, {"node", nlohmann::json::array()}}},
      {"compression", {{"text", compression}, {"edge", nlohmann::json::array()}}},
      {"headline", "headline of " + compression},
      {"compression_untransformed", {{"text", compression}}}};
  return json.dump(2) + "\n\n";
}

}  // namespace

TEST_CASE("compression records: all fields of the release's format", "[data]") {
  const TemporaryFolder folder;
  for (const fs::path& file :
       {fs::path(kFixture), gzipped(folder / "a.json.gz", read_file(kFixture))}) {
    const auto texts = read_fields(file, load_manifest("sentence-compression", {"data"}).fields);
    REQUIRE(texts.size() == 4);
    using Lines = std::vector<std::string>;
    CHECK(texts[0] == Lines{"A heavy storm closed the harbour.", "The café 😀 will close.",
                            "  A   path ends. "});
    CHECK(texts[1] == Lines{"Storm closes harbour } { \\ \"again\"", "Café to close", "Paths"});
    CHECK(texts[2] ==
          Lines{"A heavy storm closed the harbour", "The café will close", "A path ends"});
    CHECK(texts[3] ==
          Lines{"A heavy storm closed the harbour of the town on Monday, and {two} "
                "ferries \"waited\" outside.",
                "The café 😀 on the corner, open since 1950,\twill close / move in June.",
                "A path C:\\\\ ends in a backslash \\"});
  }
}

TEST_CASE("compression records: records may be on one line", "[data]") {
  const TemporaryFolder folder;
  JsonRecords records(written(folder / "a.json", "{\"a\":\"}\"} {\"a\":[{}]}\r\n{\"a\":3}"));
  JsonRecord each;
  std::vector<std::string> seen;
  while (records.next(each)) {
    seen.push_back(each.value.dump() + " " + std::to_string(each.number) + " " +
                   std::to_string(each.line));
  }
  CHECK(seen ==
        std::vector<std::string>{R"({"a":"}"} 1 1)", R"({"a":[{}]} 2 1)", R"({"a":3} 3 2)"});
  CHECK_FALSE(records.next(each));
}

TEST_CASE("compression records: errors contain record and line", "[data]") {
  const TemporaryFolder folder;
  const std::string text = read_file(kFixture);
  const auto broken = [&](const std::string& from, const std::string& to) {
    return refusal(written(folder / "b.json", replaced(text, from, to)));
  };
  const std::string second = "The caf\\u00e9 \\ud83d\\ude00 will close.";
  CHECK_THAT(broken("\"text\": \"" + second, "\"txt\": \"" + second),
             Contains("record 2, line 55: missing key 'compression/text'"));
  CHECK_THAT(broken("\"" + second + "\"", "17"),
             Contains("record 2") && Contains("expected a text at"));
  CHECK_THAT(broken(second, "a \\u0000"), Contains("NUL character in 'compression/text'"));
  CHECK_THAT(broken(second, "a \\ud83d b"), Contains("record 2, line 55: not JSON"));
  CHECK_THAT(broken(second + "\"", second), Contains("record 2, line 65: a string is not closed"));
  CHECK_THAT(broken("\"id\": \"2\",", "\"id\": \"2\""), Contains("record 2, line 55: not JSON"));
  CHECK_THAT(broken("\n\n\n\n{", "\n]\n{"),
             Contains("record 3, line 80: a record must begin with {"));
  // Cut off: in a record, and between two.
  const std::string cut = text.substr(0, text.rfind('}'));
  CHECK_THAT(refusal(written(folder / "c.json", cut)),
             Contains("record 3, line 83: the record that begins here is not closed") &&
                 Contains("truncated"));
  CHECK_THAT(refusal(written(folder / "d.json", "\n\n")), Contains("contains no records"));
  CHECK_THROWS_AS(read_fields(folder / "none.json.gz", {"headline"}), MissingError);
}

TEST_CASE("compression records: truncated gzip is not treated as the end of the file", "[data]") {
  const TemporaryFolder folder;
  std::string many;
  for (int i = 0; i < 200; ++i) many += record("text " + sha256(std::to_string(i)), "s");
  const fs::path whole = gzipped(folder / "whole.json.gz", many);
  CHECK(read_fields(whole, {"compression"})[0].size() == 200);
  const std::string bytes = read_file(whole);
  CHECK_THAT(refusal(written(folder / "cut.json.gz", bytes.substr(0, bytes.size() / 2))),
             Contains("damaged or truncated"));
  CHECK_THAT(refusal(written(folder / "tail.json.gz", bytes.substr(0, bytes.size() - 6))),
             Contains("damaged or truncated"));
}

namespace {

/// A mirror with a small release: 40 pool records in two files, 4 test records.
struct Release {
  TemporaryFolder folder;
  DataLocations indices{folder / "mirror", folder / "cache", {}};

  Release() {
    std::string manifest = read_file("data/sentence-compression.yaml");
    manifest =
        replaced(manifest, "records: {pool: 200000, test: 10000}", "records: {pool: 40, test: 4}");
    manifest = replaced(manifest, "test_at_least: 2000", "test_at_least: 0");
    const size_t third = manifest.find("sent-comp.train03");
    manifest.resize(manifest.rfind("  - {", third));
    write_file_synced(folder / "sentence-compression.yaml", manifest);
    std::string files[2];
    for (int i = 0; i < 38; ++i) {
      const std::string number = std::to_string(i);
      files[i % 2] += record("Compression " + number + " .", "Sentence " + number + " is longer .");
    }
    files[0] += record("Compression 0  .", "Another sentence .");  // a duplicate
    files[1] += record("Test 1 .", "A test sentence in train .");  // also in the test split
    for (int i = 0; i < 2; ++i) put("sent-comp.train0" + std::to_string(i + 1), files[i]);
    std::string test;
    for (int i = 0; i < 4; ++i) {
      test +=
          record("Test " + std::to_string(i) + " .", "Test sentence " + std::to_string(i) + " .");
    }
    put("comp-data.eval", test);
  }
  void put(const std::string& name, const std::string& text) const {
    gzipped(folder.path / "mirror" / "sentence-compression" / (name + ".json.gz"), text);
  }
  Splits load(DataOptions options) const {
    options.set = "sentence-compression";
    return load_splits(options, indices, {folder.path});
  }
  nlohmann::json print(DataOptions options) const {
    options.set = "sentence-compression";
    return data_fingerprint(options, {folder.path});
  }
};

int64_t count(const std::vector<std::string>& lines, const std::string& line) {
  return std::count(lines.begin(), lines.end(), line);
}

}  // namespace

TEST_CASE("sentence-compression: the splits of the release", "[data]") {
  const Release release;
  const Splits splits = release.load({});
  CHECK(splits.texts("test") ==
        std::vector<std::string>{"Test 0 .", "Test 1 .", "Test 2 .", "Test 3 ."});
  CHECK(splits.counts.lines == 40);
  CHECK(splits.counts.duplicates == 1);
  CHECK(splits.counts.overlaps == 1);
  CHECK(splits.counts.pool == 40);  // both are kept
  CHECK((splits.texts("valid").size() == 2 ||
         splits.texts("valid").size() == 3));  // 5 %, duplicates in the same split
  CHECK(splits.texts("train").size() + splits.texts("valid").size() == 40);
  CHECK(count(splits.texts("train"), "Test 1 .") + count(splits.texts("valid"), "Test 1 .") == 1);
  const auto twice = count(splits.texts("train"), "Compression 0 .");
  CHECK((twice == 2 || count(splits.texts("valid"), "Compression 0 .") == 2));
  // The reverse language model: all full sentences of the pool, and the training compressions.
  CHECK(splits.texts("reverse").size() == 40 + splits.texts("train").size());
  CHECK(count(splits.texts("reverse"), "Sentence 17 is longer .") == 1);
  CHECK(count(splits.texts("reverse"), "Another sentence .") == 1);
  CHECK(count(splits.texts("reverse"), splits.texts("train").front()) >= 1);
  for (const auto& text : splits.texts("valid")) CHECK(count(splits.texts("reverse"), text) == 0);
  CHECK(release.load({}).texts("train") == splits.texts("train"));
  DataOptions seeded;
  seeded.seed = 5;
  CHECK(release.load(seeded).texts("valid") != splits.texts("valid"));
}

TEST_CASE("sentence-compression: options of the splits, and their fingerprint", "[data]") {
  const Release release;
  const auto whole = release.print({});
  DataOptions options;
  options.dedupe = true;
  options.remove_test_overlap = true;
  const Splits splits = release.load(options);
  CHECK(splits.counts.pool == 38);
  CHECK(count(splits.texts("train"), "Test 1 .") + count(splits.texts("valid"), "Test 1 .") == 0);
  CHECK(release.print(options) != whole);
  options.dedupe = options.remove_test_overlap = false;  // the defaults of the set
  CHECK(release.print(options) == whole);
  options = {};
  options.fields = {"headline"};
  CHECK(release.load(options).texts("test").front() == "headline of Test 0 .");
  CHECK(release.print(options) != whole);
  options.fields = {"sentence"};
  const Splits full = release.load(options);
  CHECK(full.texts("test").front() == "Test sentence 0 .");
  CHECK(full.texts("reverse").size() == full.texts("train").size());
  options = {};
  write_file_synced(release.folder / "other.txt", "Other  news .\nTest 0 .\n\nMore of it .\n");
  options.extra = {{"reverse", (release.folder / "other.txt").string()}};
  // The set keeps overlaps with the test set.
  CHECK(release.load(options).texts("reverse") ==
        std::vector<std::string>{"Other news .", "Test 0 .", "More of it ."});
  options.remove_test_overlap = true;
  CHECK(release.load(options).texts("reverse") ==
        std::vector<std::string>{"Other news .", "More of it ."});
  CHECK(release.print(options) != whole);
}

TEST_CASE("sentence-compression: an incomplete release is rejected", "[data]") {
  const Release release;
  release.put("sent-comp.train02", record("One .", "One sentence ."));
  CHECK_THROWS_WITH(release.load({}), Contains("'pool' have 21 records in total, expected 40"));
}

TEST_CASE("sentence-compression: the error of a failed download names the masked set", "[data]") {
  const TemporaryFolder folder;
  DataOptions options;
  options.set = "sentence-compression";
  std::vector<std::string> tried;
  const DataLocations indices{
      {}, folder / "cache", [&](const std::string& url, const fs::path&, int64_t) {
        tried.push_back(url);
        throw DeviceError("no network");
      }};
  CHECK_THROWS_WITH(load_splits(options, indices, {"data"}),
                    Contains("no network") && Contains("data.set=sentence-compression-masked"));
  CHECK(tried == std::vector<std::string>{
                     "https://github.com/google-research-datasets/sentence-compression/raw/master/"
                     "data/comp-data.eval.json.gz"});
}

TEST_CASE("sentence-compression: the shipped manifest", "[data]") {
  const Manifest set = load_manifest("sentence-compression", {"data"});
  CHECK(set.files.size() == 11);
  CHECK_FALSE(set.mirror_only());
  std::set<std::string> paths;
  for (const DataFile& file : set.files) {
    CHECK(set.reader_of(file).name() == "json_lines");
    CHECK(file.sha256.empty());
    CHECK(file.urls.front().ends_with(fs::path(file.path).filename().string()));
    paths.insert(file.path);
  }
  CHECK(paths.size() == 11);
  const TemporaryFolder folder;
  const auto refuse = [&](const std::string& from, const std::string& to, const std::string& what) {
    write_file_synced(folder / "sentence-compression.yaml",
                      replaced(read_file("data/sentence-compression.yaml"), from, to));
    CHECK_THROWS_WITH(load_manifest("sentence-compression", {folder.path}), Contains(what));
  };
  refuse("json_lines", "json_line", "did you mean 'json_lines'");
  refuse("urls: [", "urls: [ftp://a, ", "only https");
}
