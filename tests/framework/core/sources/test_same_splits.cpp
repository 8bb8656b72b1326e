// Splits of all sets and rules, compared with those of commit 173765f, before readers and rules
// became one pipeline.
#include <filesystem>

#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/strings.h"
#include "framework/core/sources/grammar.h"
#include "framework/core/sources/load_splits.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

using Sums = std::map<std::string, std::string>;

/// First 16 digits of the checksum of each split: a line per record, fields separated by tabs.
Sums sums_of(const Splits& splits) {
  Sums sums;
  for (const auto& [split, records] : splits.records) {
    std::string text;
    for (const Record& row : records.rows) {
      std::vector<std::string> values;
      for (const FieldValue& value : row) values.push_back(text_of(value));
      text += join(values, "\t") + "\n";
    }
    sums[split] = sha256(text).substr(0, 16);
  }
  return sums;
}

/// Sentences with all cases that splitting drops or keeps together.
struct OwnText {
  TemporaryFolder folder;
  DataOptions options;

  OwnText() {
    std::string text, part;
    for (uint64_t i = 0; i < 2000; ++i) {
      const auto words = split(Grammar::news().sample(7, i).text, ' ');
      const size_t count = std::min<size_t>(words.size(), 1 + i % 6);
      const auto end = words.begin() + static_cast<std::ptrdiff_t>(count);
      const std::string sentence = join({words.begin(), end}, " ");
      text += sentence + "\n";
      if (i % 7 == 0) text += "  " + sentence + " \t \n";
      if (i % 11 == 0) text += "\n";
      if (i % 40 == 0) part += sentence + "\n";
    }
    write_file_synced(folder / "own.txt", text);
    write_file_synced(folder / "part.txt", part + " x\ty \n");
    options.train = folder / "own.txt";
    options.shares = {{"reverse", 0.3}};
  }
};

DataOptions named(const std::string& set) {
  DataOptions options;
  options.set = set;
  return options;
}

}  // namespace

TEST_CASE("same splits: generated sets", "[data]") {
  DataOptions options;
  CHECK(sums_of(load_splits(options, {}, {"data"})) == Sums{{"train", "a915246ae766400a"},
                                                            {"valid", "e6ec9109585364c3"},
                                                            {"test", "c050331a41090298"},
                                                            {"reverse", "d505d9d3fea0b8e1"}});
  options.max_words = 7;
  options.seed = 3;
  options.train_at_most = 500;
  CHECK(sums_of(load_splits(options, {}, {"data"})) == Sums{{"train", "8393bb69162726c7"},
                                                            {"valid", "a3658c208f85ef38"},
                                                            {"test", "b4ce4c282cb78dc8"},
                                                            {"reverse", "47b6c9a7e87af9fc"}});
  DataOptions pairs = named("embedded-pairs");
  CHECK(sums_of(load_splits(pairs, {}, {"data"})) == Sums{{"train", "e896e9972758c48b"},
                                                          {"valid", "ac8b43d392ce4dda"},
                                                          {"test", "9a749e62ec2c7f50"}});
  pairs.seed = 3;
  pairs.train_at_most = 500;
  CHECK(sums_of(load_splits(pairs, {}, {"data"})) == Sums{{"train", "e209791585238f46"},
                                                          {"valid", "8e99d8470238728b"},
                                                          {"test", "ce7733eafec25b73"}});
}

TEST_CASE("same splits: local files with every rule", "[data]") {
  const OwnText own;
  CHECK(sums_of(load_splits(own.options, {})) == Sums{{"train", "3a52e428deb9186b"},
                                                      {"valid", "81602c63b188e5b8"},
                                                      {"test", "d26dcbabf572f8e1"},
                                                      {"reverse", "a18971d8b49ef02e"}});
  DataOptions given = own.options;
  given.valid = given.test = own.folder / "part.txt";
  given.extra = {{"reverse", own.folder / "own.txt"}};
  given.max_words = 4;
  given.seed = 4;
  CHECK(sums_of(load_splits(given, {})) == Sums{{"train", "4c040fc1f1ee64f2"},
                                                {"valid", "fdb5bc275793d25f"},
                                                {"test", "fdb5bc275793d25f"},
                                                {"reverse", "9f83c44a4b03d6d8"}});
  DataOptions running = own.options;
  running.clean = running.dedupe = running.remove_test_overlap = false;
  running.order = SplitOrder::kDocument;
  running.test_share = 0.1;
  running.valid_share = 0.02;
  running.shares = {{"reverse", 0.2}};
  CHECK(sums_of(load_splits(running, {})) == Sums{{"train", "a1cf0bffd38e04fa"},
                                                  {"valid", "7c30103510a1c1eb"},
                                                  {"test", "eb801315d54c0e39"},
                                                  {"reverse", "626944bdd9323992"}});
  DataOptions kept = own.options;
  kept.dedupe = kept.remove_test_overlap = false;
  kept.test = own.folder / "part.txt";
  kept.train_at_most = 300;
  CHECK(sums_of(load_splits(kept, {})) == Sums{{"train", "4ffc461df296343f"},
                                               {"valid", "14ba1aad0f32ec2b"},
                                               {"test", "0fdd3430bec53794"},
                                               {"reverse", "b0e0d16bedb6266b"}});
}

TEST_CASE("same splits: sets of a mirror", "[data][long]") {
  if (data_locations().mirror.empty()) {
    WARN("not tested: splits of a mirror's sets (LVTEXT_DATA_MIRROR is not set)");
    return;
  }
  DataOptions options = named("sentence-compression-masked");
  const auto split_sums = [&] { return sums_of(load_splits(options, data_locations(), {"data"})); };
  CHECK(split_sums() == Sums{{"train", "5cb663683e1daa28"},
                             {"valid", "f83c8da18a163669"},
                             {"test", "f9b86de7202a2dfe"},
                             {"reverse", "887397239404c74f"}});
  options.fields = {"sentence"};
  options.max_words = 12;
  options.seed = 1;
  CHECK(split_sums() == Sums{{"train", "ebadffd00973d98c"},
                             {"valid", "48d8a0dbfcb98c75"},
                             {"test", "b02c3fef01b4fcc9"},
                             {"reverse", "861a5bdde70a7ab8"}});
  options = named("nli");
  CHECK(split_sums() == Sums{{"train", "d6325b9c24e9c7cb"},
                             {"valid", "536bf2c3bc39e62f"},
                             {"test", "bdb7ab5de20e0f09"}});
  options.seed = 1;
  options.train_at_most = 2000;
  CHECK(split_sums() == Sums{{"train", "3ad6036c6a2908a2"},
                             {"valid", "f4bec36cefc0b9d0"},
                             {"test", "bdb7ab5de20e0f09"}});
}
