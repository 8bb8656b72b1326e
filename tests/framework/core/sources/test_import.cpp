#include "framework/core/sources/import_text.h"

#include <zlib.h>

#include <cstdlib>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/sources/load_splits.h"
#include "framework/core/sources/split_files.h"
#include "tests/framework/core/base/child.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

std::string numbered(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) text += "sentence number " + std::to_string(i) + "\n";
  return text;
}

struct Fixture : TemporaryFolder {
  fs::path cache = path / "cache";

  fs::path file(const std::string& name, const std::string& content) const {
    write_file_synced(path / name, content);
    return path / name;
  }
  ImportRequest request() const {
    ImportRequest request;
    request.name = "my-text";
    request.license = "CC BY 4.0, \"as is\"; see C:\\terms #1: {x}";
    request.shares = {{"reverse", 0.3}};
    request.train = {file("a.txt", numbered(0, 600)), file("b.txt", numbered(600, 1000))};
    return request;
  }
  Manifest import(const ImportRequest& request) const {
    return import_text(request, cache, {"data", cache});
  }
  Splits splits(const std::string& name = "my-text") const {
    DataOptions options;
    options.set = name;
    return load_splits(options, {{}, cache}, {"data", cache});
  }
};

Exit code_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  return Exit::kDone;
}

}  // namespace

TEST_CASE("import: a recipe's shares divide the training text of a set that lacks them", "[data]") {
  const Fixture at;
  ImportRequest request = at.request();
  request.shares.clear();
  at.import(request);
  DataOptions options;
  options.set = "my-text";
  const std::vector<fs::path> folders = {"data", at.cache};
  CHECK(split_names(options, folders) == std::vector<std::string>{"train", "valid", "test"});
  options.shares = {{"reverse", 0.3}, {"test", 0.5}};
  CHECK(split_names(options, folders) ==
        std::vector<std::string>{"train", "valid", "test", "reverse"});
  const Splits splits = load_splits(options, {{}, at.cache}, folders);
  CHECK(splits.texts("train").size() == 630);
  CHECK(splits.texts("reverse").size() == 270);
  CHECK(splits.texts("test").size() == 50);
  DataOptions without = options;
  without.shares.clear();
  CHECK(data_fingerprint(options, folders) != data_fingerprint(without, folders));
  // A set that has the split keeps its own.
  request.name = "other";
  request.shares = {{"reverse", 0.1}};
  at.import(request);
  options.set = "other";
  CHECK(load_splits(options, {{}, at.cache}, folders).texts("reverse").size() == 90);
  // A generated set cannot be divided.
  options.set = "embedded";
  options.shares = {{"other", 0.3}};
  CHECK(split_names(options) == std::vector<std::string>{"train", "valid", "test", "reverse"});
  request.name = "third";
  request.shares = {{"pool", 0.1}};
  CHECK_THROWS_WITH(at.import(request), Contains("--share cannot name a split 'pool'"));
}

TEST_CASE("import: local files become a set with bytes, checksums, lines and license", "[data]") {
  const Fixture at;
  const ImportRequest request = at.request();
  const Manifest set = at.import(request);
  CHECK(set.license == request.license);
  CHECK(set.fields == std::vector<std::string>{"text"});
  REQUIRE(set.files.size() == 2);
  CHECK(set.files[0].path == "my-text/train-1.txt");
  CHECK(set.files[0].sha256 == sha256(numbered(0, 600)));
  CHECK(set.files[0].bytes == static_cast<int64_t>(numbered(0, 600).size()));
  CHECK(set.files[1].lines == 400);
  CHECK(set.mirror_only());
  // The original files are no longer needed.
  for (const auto& file : request.train) fs::remove(file);
  const Splits splits = at.splits();
  CHECK(splits.texts("test").size() == 50);
  CHECK(splits.texts("valid").size() == 50);
  CHECK(splits.texts("train").size() == 630);
  CHECK(splits.texts("reverse").size() == 270);
  for (const auto& file : verify(set, {{}, at.cache})) CHECK(file.kind == FileState::Kind::kWhole);
}

TEST_CASE("import: the splits equal those of the same text without import", "[data]") {
  const Fixture at;
  ImportRequest request = at.request();
  request.train.resize(1);
  request.valid = {at.file("v.txt", "sentence number 3\nmine\n")};
  request.test = {at.file("t.txt", "theirs\nsentence number 4\n")};
  CHECK(at.import(request).files[0].path == "my-text/train.txt");
  const Splits named = at.splits();
  DataOptions options;
  options.train = request.train[0];
  options.valid = request.valid[0];
  options.test = request.test[0];
  options.shares = request.shares;
  const Splits own = load_splits(options, {});
  CHECK(named.texts("train") == own.texts("train"));
  CHECK(named.texts("valid") == own.texts("valid"));
  CHECK(named.texts("test") == own.texts("test"));
  CHECK(named.texts("reverse") == own.texts("reverse"));
}

TEST_CASE("import: gzip files remain gzip", "[data]") {
  const Fixture at;
  ImportRequest request = at.request();
  const fs::path packed = at.path / "c.gz";
  gzFile file = gzopen(packed.c_str(), "wb");
  const std::string text = numbered(0, 100);
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  request.train = {packed};
  const Manifest set = at.import(request);
  CHECK(set.files[0].path == "my-text/train.txt.gz");
  CHECK(set.files[0].lines == 100);
  CHECK(at.splits().counts.lines == 100);
}

TEST_CASE("import: repeating it changes nothing, different data require another name", "[data]") {
  const Fixture at;
  ImportRequest request = at.request();
  at.import(request);
  const std::string manifest = read_file(at.cache / "my-text.yaml");
  CHECK(code_of([&] { at.import(request); }) == Exit::kDone);
  request.train.resize(1);
  CHECK(code_of([&] { at.import(request); }) == Exit::kCannotWrite);
  CHECK(read_file(at.cache / "my-text.yaml") == manifest);
  request.name = "embedded";
  CHECK(code_of([&] { at.import(request); }) == Exit::kCannotWrite);
  CHECK_FALSE(fs::exists(at.cache / "embedded.yaml"));
}

TEST_CASE("import: files of an import that was killed before writing its manifest are reused",
          "[data]") {
  const Fixture at;
  at.import(at.request());
  fs::remove(at.cache / "my-text.yaml");
  at.import(at.request());
  CHECK(at.splits().counts.lines == 1000);
}

TEST_CASE("import: a folder with other files is not changed", "[data]") {
  const Fixture at;
  make_folders(at.cache / "my-text");
  write_file_synced(at.cache / "my-text" / "train-1.txt", "another text");
  CHECK(code_of([&] { at.import(at.request()); }) == Exit::kCannotWrite);
  CHECK(read_file(at.cache / "my-text" / "train-1.txt") == "another text");
  CHECK_FALSE(fs::exists(at.cache / "my-text.yaml"));
}

TEST_CASE("import: invalid requests are rejected with all errors at once", "[data]") {
  const Fixture at;
  ImportRequest request;
  request.name = "../up";
  request.license = " ";
  CHECK(code_of([&] { at.import(request); }) == Exit::kUsage);
  CHECK_THROWS_WITH(at.import(request),
                    Contains("'../up'") && Contains("--train") && Contains("--license"));
  for (const char* name : {"", "My", ".hidden", "a/b", "-x", "a b"}) {
    request = at.request();
    request.name = name;
    INFO(name);
    CHECK(code_of([&] { at.import(request); }) == Exit::kUsage);
  }
  request = at.request();
  request.title = "\xff";
  CHECK(code_of([&] { at.import(request); }) == Exit::kUsage);
  request = at.request();
  request.test = {at.path / "none.txt"};
  CHECK(code_of([&] { at.import(request); }) == Exit::kMissingInput);
  request.test = {at.file("bad.txt", "good\nbad \xff\n")};
  CHECK_THROWS_WITH(at.import(request), Contains("bad.txt") && Contains("line 2"));
  CHECK_FALSE(fs::exists(at.cache / "my-text"));
  CHECK_FALSE(fs::exists(at.cache / "my-text.yaml"));
}

TEST_CASE("import: a written manifest is read back as the same set", "[data]") {
  const Fixture at;
  Manifest set = load_manifest("sentence-compression-masked", {"data"});
  set.files[0].urls = {"https://example.org/a.gz"};
  set.files[0].sha256 = "";
  make_folders(at.cache);
  write_file_synced(at.cache / (set.name + ".yaml"), manifest_text(set));
  const Manifest back = load_manifest(set.name, {at.cache});
  CHECK(back.title == set.title);
  CHECK(back.citation == set.citation);
  CHECK(back.relatives == set.relatives);
  CHECK(back.rules.valid_at_most == set.rules.valid_at_most);
  CHECK(back.rules.valid_share == set.rules.valid_share);
  REQUIRE(back.files.size() == set.files.size());
  CHECK(back.files[0].urls == set.files[0].urls);
  CHECK(back.files[0].sha256.empty());
  CHECK(back.files[5].sha256 == set.files[5].sha256);
  CHECK(back.files[5].path == set.files[5].path);
}

TEST_CASE("import: sets have the latest revision of the records unless a manifest has another",
          "[data]") {
  const Fixture at;
  at.import(at.request());
  const auto revision = [&](const DataOptions& options) {
    return records_revision(options, {"data", at.cache});
  };
  DataOptions options;
  options.set = "my-text";  // may have any white space
  CHECK(revision(options) == kRecordsRevision);
  options.set = "embedded";
  CHECK(revision(options) == 1);
  options.extra = {{"other", at.file("other.txt", numbered(0, 10))}};
  CHECK(revision(options) == kRecordsRevision);
  options.extra.clear();
  options.set = "sentence-compression-masked";
  CHECK(revision(options) == 1);
  options.fields = {"sentence"};  // a line of its training file begins with U+FEFF
  CHECK(revision(options) == 2);
  options.train = at.file("own.txt", numbered(0, 10));
  options.fields.clear();
  CHECK(revision(options) == kRecordsRevision);
  // An imported set does not fix the revision at which it was imported.
  CHECK_FALSE(load_manifest("my-text", {at.cache}).revision);
}

TEST_CASE("manifest: only a file with a URL can be unpinned", "[data]") {
  const Fixture at;
  make_folders(at.cache);
  Manifest set = load_manifest("sentence-compression-masked", {"data"});
  set.files[0].sha256 = "";
  write_file_synced(at.cache / (set.name + ".yaml"), manifest_text(set));
  CHECK_THROWS_WITH(load_manifest(set.name, {at.cache}), Contains("public URL"));
}

TEST_CASE("split files: written completely with checksums and counts, never over another folder",
          "[data]") {
  const Fixture at;
  const ImportRequest request = at.request();
  at.import(request);
  DataOptions options;
  options.set = "my-text";
  const Splits splits = at.splits();
  const fs::path folder = at.path / "splits";
  const auto written = write_split_files(splits, options, folder);
  CHECK(nlohmann::ordered_json::parse(read_file(folder / "splits.json")) == written);
  CHECK(written["files"]["train.jsonl"]["records"] == 630);
  CHECK(written["files"]["train.jsonl"]["sha256"] == sha256_file(folder / "train.jsonl"));
  CHECK(written["counts"]["pool"] == 1000);
  CHECK(parse_json_lines(read_file(folder / "test.jsonl"), {{"text"}, {}, {}}).rows ==
        splits.records.at("test").rows);
  CHECK(std::distance(fs::directory_iterator(folder), {}) == 6);
  CHECK(code_of([&] { write_split_files(splits, options, folder); }) == Exit::kCannotWrite);
}
