// Files of published tasks: labels before a blank, coarse classes, and the exact counts of the
// sets.
#include <map>
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/options/yaml.h"
#include "framework/core/sources/load_splits.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

std::vector<Record> read(const std::string& reader, const std::string& content) {
  const TemporaryFolder folder;
  write_file_atomic(folder.path / "file", content);
  Errors errors;
  const auto made = RecordReader::components().get("columns").read(
      parse_yaml_or_throw(reader, "reader"), errors, "");
  errors.throw_if_any();
  std::vector<Record> records;
  made->read(folder.path / "file", made->fields(),
             [&](Record record) { records.push_back(std::move(record)); });
  return records;
}

}  // namespace

TEST_CASE("tasks: columns separated by blanks, and values up to a text", "[data]") {
  const auto records =
      read("{columns: [label, text], separator: blank}", "0 it 's  bad\n1 \n1 a: b\t c \n");
  CHECK(records == std::vector<Record>{{"0", "it 's  bad"}, {"1", ""}, {"1", "a: b\t c "}});
  const auto coarse = read("{columns: [label, text], separator: blank, until: {label: \":\"}}",
                           "DESC:manner How : so ?\nHUM Who\n");
  CHECK(coarse == std::vector<Record>{{"DESC", "How : so ?"}, {"HUM", "Who"}});
  CHECK_THROWS_WITH(read("{columns: [label, text], separator: blank}", "0 a\nword\n"),
                    Catch::Matchers::Contains("line 2 has 1 column separated by blanks"));
  CHECK_THROWS_WITH(read("{columns: [label], until: {other: x}}", "0\n"),
                    Catch::Matchers::Contains("until: 'other'"));
}

TEST_CASE("tasks: exact counts; empty sentences and duplicates stay", "[data][long]") {
  if (data_locations().mirror.empty()) {
    WARN("not tested: counts of the tasks (LVTEXT_DATA_MIRROR is not set)");
    return;
  }
  struct Task {
    std::string set;
    std::map<std::string, size_t> splits;
    size_t empty, repeated;  ///< empty texts; records whose line occurred before
  };
  const std::vector<Task> tasks = {
      {"mr", {{"train", 10662}}, 0, 0},
      {"cr", {{"train", 3775}}, 4, 8},
      {"mpqa", {{"train", 10606}}, 3, 2262},
      {"subj", {{"train", 10000}}, 0, 0},
      {"sst2", {{"train", 6920}, {"valid", 872}, {"test", 1821}}, 0, 0},
      {"sst5", {{"train", 8544}, {"valid", 1101}, {"test", 2210}}, 0, 0},
      {"trec", {{"train", 5452}, {"test", 500}}, 0, 0},
      {"mrpc", {{"train", 4076}, {"test", 1725}}, 0, 0},
      {"sick-e", {{"train", 4500}, {"valid", 500}, {"test", 4927}}, 0, 0},
      {"sick-r", {{"train", 4500}, {"valid", 500}, {"test", 4927}}, 0, 0},
      {"stsb", {{"train", 5749}, {"valid", 1500}, {"test", 1379}}, 0, 0},
      {"sts12", {{"train", 2358}}, 0, 0},
      {"sts13", {{"train", 1500}}, 0, 0},
      {"sts14", {{"train", 3750}}, 0, 0},
      {"sts15", {{"train", 3000}}, 0, 0},
      {"sts16", {{"train", 1186}}, 0, 0}};
  for (const Task& task : tasks) {
    CAPTURE(task.set);
    DataOptions options;
    options.set = task.set;
    const Splits splits = load_splits(options, data_locations());
    std::map<std::string, size_t> counts;
    size_t empty = 0, repeated = 0;
    for (const auto& [split, records] : splits.records) {
      if (!records.rows.empty()) counts[split] = records.rows.size();
      std::set<Record> seen;
      for (const Record& row : records.rows) {
        empty += text_of(row[0]).empty() ? 1 : 0;
        repeated += seen.insert(row).second ? 0 : 1;
      }
    }
    CHECK(counts == task.splits);
    CHECK(empty == task.empty);
    if (task.set == "cr" || task.set == "mpqa") CHECK(repeated == task.repeated);
  }
}
