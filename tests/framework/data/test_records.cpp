// Sets of records: columns, labels, splits by group.
#include "framework/data/records.h"

#include <set>

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/base/hash.h"
#include "framework/data/sentences.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

/// A set of two files below a folder that serves as mirror and as folder of manifests.
struct SmallSet {
  TemporaryFolder folder;
  DataPlaces places;

  explicit SmallSet(const std::string& pool, const std::string& columns = "[-, label, one, two]") {
    const std::string test = "A p\tq\tYES\n";
    write_file_synced(folder / "pool.tsv", pool);
    write_file_synced(folder / "test.tsv", test);
    const auto file = [&](const char* role, const std::string& text, const std::string& rest) {
      return std::string("  - {role: ") + role + ", path: " + role +
             ".tsv, bytes: " + std::to_string(text.size()) +
             ", lines: 0, urls: [], sha256: " + sha256(text) + ", " + rest + "}\n";
    };
    write_file_synced(
        folder / "small.yaml",
        "name: small\ntitle: t\nlicence: l\ncitation: c\nkind: records\nrelatives: []\n"
        "fields: [one, two, label]\nlabels: {label: [yes, no]}\n"
        "splits: {valid_share: 0.4, valid_at_most: 100, group: one}\nfiles:\n" +
            file("pool", pool, "header: true, columns: " + columns) +
            file("test", test, "header: false, columns: [one, two, label]"));
    places.mirror = folder.path;
    places.cache = folder.path;
  }
  RecordSplits load(const RecordOptions& options = {.set = "small"}) const {
    return load_records(options, places, {folder.path});
  }
};

std::string pool_of(int groups) {
  std::string text = "n\tlabel\tone\ttwo\n";
  for (int i = 0; i < groups; ++i) {
    for (const char* two : {"a", "b", "c"}) {
      text += "7\tNO\tgroup " + std::to_string(i) + "\t" + two + "\n";
    }
  }
  return text;
}

}  // namespace

TEST_CASE("records: columns, labels, blanks, duplicates and overlaps", "[data]") {
  const SmallSet set(
      "n\tlabel\tone\ttwo\n"
      "1\tYes\tb\t x  y \n"    // blanks, case of the label
      "2\tYES\tb\tx y\n"       // the same again
      "3\tmaybe\tc\tx\n"       // no such label
      "4\tno\t\tx\n"           // an empty text
      "5\tno\tA p\tanother\n"  // its group is in the test
      "6\tno\td\tx\n"
      "7\tno\te\tx\n");
  const RecordSplits splits = set.load();
  CHECK(splits.lines == 8);
  CHECK(splits.unlabelled == 2);
  CHECK(splits.overlaps == 1);
  CHECK(splits.duplicates == 1);
  CHECK(splits.test == std::vector<Record>{{"A p", "q", "yes"}});
  std::set<Record> all(splits.train.begin(), splits.train.end());
  all.insert(splits.valid.begin(), splits.valid.end());
  CHECK(all == std::set<Record>{{"b", "x y", "yes"}, {"d", "x", "no"}, {"e", "x", "no"}});
}

TEST_CASE("records: groups are held out whole, and only the seed moves them", "[data]") {
  const SmallSet set(pool_of(40));
  const RecordSplits splits = set.load();
  CHECK(splits.valid.size() == 48);  // 40 % of 120, whole groups of 3
  CHECK(splits.train.size() == 72);
  std::set<std::string> trained, held;
  for (const auto& record : splits.train) trained.insert(record[0]);
  for (const auto& record : splits.valid) held.insert(record[0]);
  for (const auto& group : held) CHECK(!trained.contains(group));
  CHECK(set.load().train == splits.train);
  RecordOptions other{.set = "small"};
  other.seed = 1;
  CHECK(set.load(other).valid != splits.valid);
  other.train_at_most = 5;
  CHECK(set.load(other).train.size() == 5);
}

TEST_CASE("records: wrong lines, manifests and sets are named", "[data]") {
  CHECK_THROWS_WITH(SmallSet("n\tlabel\tone\ttwo\n1\tno\tb\n").load(),
                    Contains("line 2 has 3 columns"));
  CHECK_THROWS_WITH(SmallSet(pool_of(4), "[label, one, three, two]").load(),
                    Contains("the column 'three', which is not one of one, two, label"));
  CHECK_THROWS_WITH(SmallSet(pool_of(4), "[label, one, -, -]").load(),
                    Contains("must have one column 'two'"));
  CHECK_THROWS_WITH(load_records({.set = "embedded"}, {}, {"data"}),
                    Contains("holds sentences") && Contains("embedded-pairs, nli"));
  DataOptions sentences;
  sentences.set = "embedded-pairs";
  CHECK_THROWS_WITH(load_splits(sentences, {}, {"data"}), Contains("holds records"));
}

TEST_CASE("records: pairs of the embedded grammar", "[data]") {
  const RecordSplits splits = load_records({.set = "embedded-pairs"}, {}, {"data"});
  CHECK(splits.train.size() == 3000);
  CHECK(splits.valid.size() == 300);
  std::map<std::string, int> labels;
  for (const auto& record : splits.train) {
    REQUIRE(record.size() == 3);
    ++labels[record[2]];
    const bool begins = record[0].starts_with(record[1]);
    if (record[2] == "entailment") CHECK(begins);
  }
  CHECK(labels == std::map<std::string, int>{
                      {"entailment", 1000}, {"neutral", 1000}, {"contradiction", 1000}});
}

TEST_CASE("records: the fingerprint follows what decides the splits", "[data]") {
  const std::vector<std::filesystem::path> data = {"data"};
  const auto print = records_fingerprint({}, data);
  CHECK(print.at("files").size() == 5);
  RecordOptions other;
  other.seed = 3;
  CHECK(records_fingerprint(other, data) != print);
}
