// Records with several fields: columns, JSON lines, labels, splits by group.
#include "framework/core/datasets/records.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/yaml.h"
#include "framework/core/sources/load_splits.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

/// A set of two files; its folder is both the mirror and the folder of manifests.
struct SmallSet {
  TemporaryFolder folder;
  DataLocations indices;

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
        "name: small\ntitle: t\nlicense: l\ncitation: c\nrelatives: []\n"
        "fields: [one, two, label]\nuse: [one, two, label]\nlabels: {label: [yes, no]}\n"
        "splits: {valid_share: 0.4, valid_at_most: 100, group: one}\nfiles:\n" +
            file("pool", pool, "reader: {type: columns, header: true, columns: " + columns + "}") +
            file("test", test, "reader: {type: columns, columns: [one, two, label]}"));
    indices.mirror = folder.path;
    indices.cache = folder.path;
  }
  Splits load(DataOptions options = {}) const {
    options.set = "small";
    return load_splits(options, indices, {folder.path});
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
      "2\tYES\tb\tx y\n"       // a duplicate
      "3\tmaybe\tc\tx\n"       // an unknown label
      "4\tno\t\tx\n"           // an empty text
      "5\tno\tA p\tanother\n"  // its group is in the test split
      "6\tno\td\tx\n"
      "7\tno\te\tx\n");
  const Splits splits = set.load();
  CHECK(splits.counts.lines == 7);
  CHECK(splits.counts.unlabeled == 1);
  CHECK(splits.counts.empty == 1);
  CHECK(splits.counts.overlaps == 1);
  CHECK(splits.counts.duplicates == 1);
  CHECK(splits.records.at("test").rows == std::vector<Record>{{"A p", "q", "yes"}});
  const auto& train = splits.records.at("train").rows;
  const auto& valid = splits.records.at("valid").rows;
  std::set<Record> all(train.begin(), train.end());
  all.insert(valid.begin(), valid.end());
  CHECK(all == std::set<Record>{{"b", "x y", "yes"}, {"d", "x", "no"}, {"e", "x", "no"}});
}

TEST_CASE("records: groups are held out as a whole, selected by the seed", "[data]") {
  const SmallSet set(pool_of(40));
  const Splits splits = set.load();
  const auto& train = splits.records.at("train").rows;
  const auto& valid = splits.records.at("valid").rows;
  CHECK(valid.size() == 48);  // 40 % of 120, whole groups of 3
  CHECK(train.size() == 72);
  std::set<std::string> trained, held;
  for (const auto& record : train) trained.insert(text_of(record[0]));
  for (const auto& record : valid) held.insert(text_of(record[0]));
  for (const auto& group : held) CHECK(!trained.contains(group));
  CHECK(set.load().records.at("train").rows == train);
  DataOptions other;
  other.seed = 1;
  CHECK(set.load(other).records.at("valid").rows != valid);
  other.train_at_most = 5;
  CHECK(set.load(other).records.at("train").rows.size() == 5);
}

TEST_CASE("records: invalid lines, manifests and sets are named", "[data]") {
  CHECK_THROWS_WITH(SmallSet("n\tlabel\tone\ttwo\n1\tno\tb\n").load(),
                    Contains("line 2 has 3 columns"));
  CHECK_THROWS_WITH(SmallSet(pool_of(4), "[label, one, three, two]").load(),
                    Contains("the field 'three', which is not one of one, two, label"));
  CHECK_THROWS_WITH(SmallSet(pool_of(4), "[label, one, -, -]").load(),
                    Contains("no file of 'small' contains one and two and label together"));
  DataOptions options;
  options.fields = {"two"};
  const Splits two = SmallSet(pool_of(4)).load(options);
  for (const char* split : {"train", "valid"}) {  // two groups each, without the group's field
    CHECK(two.records.at(split).fields == std::vector<std::string>{"text"});
    std::vector<std::string> texts = two.texts(split);
    std::sort(texts.begin(), texts.end());
    CHECK(texts == std::vector<std::string>{"a", "a", "b", "b", "c", "c"});
  }
  options.fields = {"one"};
  const Splits one = SmallSet(pool_of(4)).load(options);
  CHECK(one.records.at("train").fields == std::vector<std::string>{"text"});
  options.fields = {"tow"};
  CHECK_THROWS_WITH(SmallSet(pool_of(4)).load(options), Contains("did you mean 'two'"));
}

TEST_CASE("records: pairs generated by the embedded grammar", "[data]") {
  DataOptions options;
  options.set = "embedded-pairs";
  const Splits splits = load_splits(options, {}, {"data"});
  CHECK(splits.records.at("train").rows.size() == 3000);
  CHECK(splits.records.at("valid").rows.size() == 300);
  CHECK(splits.records.at("train").labels.at("label").size() == 3);
  std::map<std::string, int> labels;
  for (const auto& record : splits.records.at("train").rows) {
    REQUIRE(record.size() == 3);
    ++labels[text_of(record[2])];
    const bool begins = text_of(record[0]).starts_with(text_of(record[1]));
    if (text_of(record[2]) == "entailment") CHECK(begins);
  }
  CHECK(labels == std::map<std::string, int>{
                      {"entailment", 1000}, {"neutral", 1000}, {"contradiction", 1000}});
}

TEST_CASE("records: scored pairs generated by the embedded grammar", "[data]") {
  DataOptions options;
  options.set = "embedded-scores";
  options.fields = {"premise", "hypothesis", "label", "score"};
  const Splits splits = load_splits(options, {}, {"data"});
  std::map<std::string, int> seen;
  for (const auto& record : splits.records.at("train").rows) {
    const std::string score = text_of(record[3]);
    ++seen[text_of(record[2]) + " " + score];
    if (score == "5") CHECK(text_of(record[0]).starts_with(text_of(record[1])));
  }
  CHECK(seen == std::map<std::string, int>{{"1 5", 30}, {"1 3", 30}, {"0 1", 30}});
}

TEST_CASE("records: reviews of two styles generated with paraphrases", "[data]") {
  DataOptions options;
  options.set = "embedded-reviews";
  options.fields = {"text", "paraphrase", "style"};
  const Splits splits = load_splits(options, {}, {"data"});
  const Records& train = splits.records.at("train");
  CHECK(train.rows.size() == 4000);
  const std::set<std::string> positive = {"great", "friendly", "quick", "fresh",
                                          "good",  "tasty",    "clean", "warm"};
  const auto words_of = [](const Record& record, size_t field) {
    const auto words = split(text_of(record[field]), ' ');
    return std::set<std::string>(words.begin(), words.end());
  };
  int64_t of_style = 0;
  for (const Record& record : train.rows) {
    const auto from = words_of(record, 0), to = words_of(record, 1);
    std::vector<std::string> praise;
    std::set_intersection(from.begin(), from.end(), positive.begin(), positive.end(),
                          std::back_inserter(praise));
    const bool is_positive = text_of(record[2]) == "positive";
    of_style += is_positive;
    CHECK(praise.size() == (is_positive ? 1 : 0));
    // A paraphrase has the same opinion in another sentence.
    CHECK(text_of(record[0]) != text_of(record[1]));
    for (const std::string& word : praise) CHECK(to.contains(word));
  }
  CHECK(of_style == 2000);
}

TEST_CASE("records: the fingerprint changes with all options that affect the splits", "[data]") {
  DataOptions options;
  options.set = "nli";
  const auto print = data_fingerprint(options, {"data"});
  CHECK(print.at("files").size() == 5);
  CHECK(data_fingerprint(options, {"data"}) == print);
  options.seed = 3;
  CHECK(data_fingerprint(options, {"data"}) != print);
}

TEST_CASE("records: local files of columns and of JSON lines give the same splits", "[data]") {
  const TemporaryFolder folder;
  std::string columns, objects;
  for (int i = 0; i < 100; ++i) {
    const std::string text = "text " + std::to_string(i), label = i % 3 == 0 ? "no" : "yes";
    columns += label + "\tunread\t" + text + "\n";
    objects += "{\"in\": {\"one\": \"" + text + "\"}, \"label\": \"" + label + "\"}\n";
  }
  write_file_synced(folder / "a.tsv", columns);
  write_file_synced(folder / "a.jsonl", objects);
  DataOptions options;
  options.train = folder / "a.tsv";
  options.labels = {{"label", {"yes", "no"}}};
  options.fields = {"text", "label"};
  options.reader =
      Choice<RecordReader>("columns", parse_yaml_or_throw("columns: [label, -, text]"));
  const Splits splits = load_splits(options, {});
  CHECK(splits.records.at("train").rows.size() == 90);
  CHECK(splits.records.at("train").rows.front().size() == 2);
  options.train = folder / "a.jsonl";
  options.reader = Choice<RecordReader>("json_lines", parse_yaml_or_throw("keys: {text: in/one}"));
  const Splits same = load_splits(options, {});
  for (const char* split : {"train", "valid", "test"}) {
    CHECK(same.records.at(split).rows == splits.records.at(split).rows);
  }
  options.labels = {{"lable", {"yes"}}};
  CHECK_THROWS_WITH(load_splits(options, {}), Contains("did you mean 'label'"));
  options.labels = {};
  options.reader = Choice<RecordReader>("lines");
  CHECK_THROWS_WITH(load_splits(options, {}), Contains("reads one field, not text, label"));
  options.reader = Choice<RecordReader>("grammar");
  CHECK_THROWS_WITH(load_splits(options, {}),
                    Contains("'grammar' generates records and cannot read files"));
}

TEST_CASE("records: all mistakes of the options are found without reading files", "[data]") {
  DataOptions options;
  options.fields = {"titel"};
  options.group = "foo";
  options.labels = {{"style", {"good"}}};
  std::vector<std::string> found;
  for (const DataMistake& each : data_mistakes(options)) {
    found.push_back(each.key + ": " + each.message + "; " + each.hint);
  }
  CHECK(found == std::vector<std::string>{
                     "fields: 'embedded' has no field 'titel'; all: sentence",
                     "labels.style: there is no field 'style'; all: titel",
                     "group: 'embedded' has no field 'foo'; all: sentence",
                 });
  CHECK_THROWS_WITH(load_splits(options, {}),
                    Contains("data.fields: 'embedded' has no field 'titel'") &&
                        Contains("\ndata.group: 'embedded' has no field 'foo'"));
  options = {};
  options.set = "nli";
  options.fields = {"premise"};
  options.group = "label";
  CHECK(data_mistakes(options).empty());
  CHECK(describe_records(options).fields == std::vector<std::string>{"text"});
}

TEST_CASE("records: missing files of the user, and the fields of records", "[data]") {
  const TemporaryFolder folder;
  write_file_synced(folder / "a.txt", "one\n");
  DataOptions options;
  CHECK(missing_files(options).empty());
  options.train = folder / "a.txt";
  options.test = folder / "b.txt";
  options.extra = {{"reverse", folder / "c.txt"}};
  const auto missing = missing_files(options);
  REQUIRE(missing.size() == 2);
  CHECK(missing[0].key == "test");
  CHECK(missing[1].key == "extra.reverse");
  CHECK_THAT(missing[1].message, Contains("there is no file '") && Contains("c.txt'"));

  options.fields = {"text", "label"};
  options.labels = {{"label", {"yes", "no"}}};
  const Records described = describe_records(options);
  CHECK(described.fields == options.fields);
  CHECK(described.labels == options.labels);
  CHECK(described.rows.empty());
  CHECK(describe_records({}).fields == std::vector<std::string>{"text"});
}

TEST_CASE("records: JSON lines keep all texts", "[data]") {
  const Records records{{"one", "two"}, {}, {{"a\tb", "x \"y\"\n"}, {"", "café \\"}}};
  const std::string text = to_json_lines(records);
  CHECK(parse_json_lines(text, records).rows == records.rows);
  CHECK(parse_json_lines(text, {{"two"}, {}, {}}).rows ==
        std::vector<Record>{{"x \"y\"\n"}, {"café \\"}});
  CHECK_THROWS_WITH(parse_json_lines(text + "{}\n", records),
                    Contains("line 3 is not a record of one, two"));
}
