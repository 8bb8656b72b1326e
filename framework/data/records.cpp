#include "framework/data/records.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "framework/base/characters.h"
#include "framework/base/error.h"
#include "framework/base/hash.h"
#include "framework/base/strings.h"
#include "framework/data/grammar.h"
#include "framework/text/lines.h"

namespace lvtext {
namespace {

/// The set, which must be one of records.
Manifest load_set(const RecordOptions& options, const std::vector<std::filesystem::path>& folders) {
  Manifest set = load_manifest(options.set, folders);
  if (!set.is_records) {
    throw ConfigError("data.set: '" + set.name +
                      "' holds sentences, not records of several fields; those that do: " +
                      join(record_set_names(folders)));
  }
  return set;
}

/// The words of a text from place `from` on, `count` at most.
std::string some_words(const std::vector<std::string>& words, size_t from, size_t count) {
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(std::min(from, words.size()));
  const auto end = begin + static_cast<std::ptrdiff_t>(
                               std::min<size_t>(count, static_cast<size_t>(words.end() - begin)));
  return join({begin, end}, " ");
}

/// Pairs whose relation words alone decide; labels in turn.
std::vector<Record> draw_pairs(const Manifest& set, uint64_t seed, int64_t count, uint64_t& index) {
  const auto& labels = set.labels.begin()->second;
  std::vector<Record> records;
  for (int64_t i = 0; i < count; ++i, index += 2) {
    const std::string premise = Grammar::news().sample(seed, index).text;
    const auto first = split(premise, ' ');
    const auto other = split(Grammar::news().sample(seed, index + 1).text, ' ');
    const size_t half = first.size() / 2;
    const size_t label = static_cast<size_t>(i) % labels.size();
    std::string hypothesis = some_words(label == 2 ? other : first, 0, half + 1);
    if (label == 1) hypothesis += " " + some_words(other, other.size() / 2, other.size());
    records.push_back({premise, hypothesis, labels[label]});
  }
  return records;
}

RecordSplits draw_splits(const RecordOptions& options, const Manifest& set) {
  RecordSplits splits;
  uint64_t index = 0;
  const uint64_t seed = set.grammar.seed + static_cast<uint64_t>(options.seed);
  splits.valid = draw_pairs(set, seed, set.grammar.valid, index);
  splits.test = draw_pairs(set, seed, set.grammar.test, index);
  splits.train = draw_pairs(set, seed, set.grammar.train, index);
  splits.lines =
      static_cast<int64_t>(splits.valid.size() + splits.test.size() + splits.train.size());
  return splits;
}

/// The records of one file; those with an unknown label or an empty text are counted and left out.
std::vector<Record> read_file_records(const Manifest& set, const DataFile& file,
                                      const std::filesystem::path& path, RecordSplits& counts) {
  std::vector<std::string> lines = read_lines(path);
  check_lines(file, path, lines.size());
  std::vector<Record> records;
  for (size_t i = file.header ? 1 : 0; i < lines.size(); ++i) {
    const auto columns = split(lines[i], '\t');
    if (columns.size() != file.columns.size()) {
      throw DataError("'" + path.string() + "', line " + format_count(i + 1) + " has " +
                      format_count(columns.size()) + " columns between tabs; its manifest names " +
                      format_count(file.columns.size()) + " (" + join(file.columns) + ")");
    }
    ++counts.lines;
    Record record;
    bool whole = true;
    for (const auto& field : set.fields) {
      const auto place = std::find(file.columns.begin(), file.columns.end(), field);
      std::string value = collapse_blanks(columns[place - file.columns.begin()]);
      if (const auto labels = set.labels.find(field); labels != set.labels.end()) {
        value = ascii_lower(std::move(value));
        const auto& known = labels->second;
        whole = whole && std::find(known.begin(), known.end(), value) != known.end();
      }
      whole = whole && !value.empty();
      record.push_back(std::move(value));
    }
    if (whole) {
      records.push_back(std::move(record));
    } else {
      ++counts.unlabelled;
    }
  }
  return records;
}

RecordSplits read_splits(const RecordOptions& options, const Manifest& set,
                         const DataPlaces& places) {
  RecordSplits splits;
  std::vector<Record> pool;
  for (const DataFile& file : set.files) {
    auto& to = file.role == "test" ? splits.test : file.role == "valid" ? splits.valid : pool;
    for (auto& record : read_file_records(set, file, obtain(set, file, places), splits)) {
      to.push_back(std::move(record));
    }
  }
  const auto group = static_cast<size_t>(
      std::find(set.fields.begin(), set.fields.end(), set.group) - set.fields.begin());
  std::unordered_set<std::string> held;
  for (const auto* records : {&splits.test, &splits.valid}) {
    for (const auto& record : *records) held.insert(record[group]);
  }
  // By (hash of the group, record): groups in random order, each group together.
  std::vector<std::pair<std::string, Record>> keyed;
  std::set<Record> seen;
  for (auto& record : pool) {
    if (held.contains(record[group])) {
      ++splits.overlaps;
    } else if (!seen.insert(record).second) {
      ++splits.duplicates;
    } else {
      std::string key = sha256(std::to_string(options.seed) + "\n" + record[group]);
      keyed.emplace_back(std::move(key), std::move(record));
    }
  }
  std::sort(keyed.begin(), keyed.end());
  size_t at = 0;
  if (splits.valid.empty()) {
    const auto share =
        static_cast<int64_t>(set.rules.valid_share * static_cast<double>(keyed.size()));
    const auto wanted = static_cast<size_t>(std::min(share, set.rules.valid_at_most));
    while (at < keyed.size() &&
           (at < wanted || (at > 0 && keyed[at].first == keyed[at - 1].first))) {
      splits.valid.push_back(std::move(keyed[at++].second));
    }
  }
  for (; at < keyed.size(); ++at) splits.train.push_back(std::move(keyed[at].second));
  return splits;
}

}  // namespace

std::vector<std::string> record_set_names(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::string> names;
  for (const auto& name : manifest_names(folders)) {
    if (load_manifest(name, folders).is_records) names.push_back(name);
  }
  return names;
}

RecordSplits load_records(const RecordOptions& options, const DataPlaces& places,
                          const std::vector<std::filesystem::path>& folders) {
  const Manifest set = load_set(options, folders);
  RecordSplits splits =
      set.is_grammar ? draw_splits(options, set) : read_splits(options, set, places);
  const auto most = static_cast<size_t>(options.train_at_most);
  if (most > 0 && most < splits.train.size()) splits.train.resize(most);
  if (splits.train.empty() || splits.valid.empty()) {
    throw DataError("'" + set.name + "': no record is left for training or validation of " +
                    format_count(splits.lines) + " lines (" + format_count(splits.unlabelled) +
                    " without a known label, " + format_count(splits.duplicates) + " duplicates, " +
                    format_count(splits.overlaps) + " overlap the test)");
  }
  return splits;
}

nlohmann::json records_fingerprint(const RecordOptions& options,
                                   const std::vector<std::filesystem::path>& folders) {
  const Manifest set = load_set(options, folders);
  nlohmann::json print = {{"set", set.name},
                          {"fields", set.fields},
                          {"labels", set.labels},
                          {"train_at_most", options.train_at_most},
                          {"seed", options.seed}};
  if (set.is_grammar) {
    print["grammar"] = {{"seed", set.grammar.seed},
                        {"train", set.grammar.train},
                        {"valid", set.grammar.valid},
                        {"test", set.grammar.test}};
    return print;
  }
  print["rules"] = {{"group", set.group},
                    {"valid_share", set.rules.valid_share},
                    {"valid_at_most", set.rules.valid_at_most}};
  for (const DataFile& file : set.files) {
    print["files"].push_back(
        {{"role", file.role}, {"sha256", file.sha256}, {"columns", file.columns}});
  }
  return print;
}

}  // namespace lvtext
