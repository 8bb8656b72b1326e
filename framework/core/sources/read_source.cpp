#include "framework/core/sources/read_source.h"

#include <algorithm>
#include <optional>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/log.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/white_space.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

/// Number of consecutive records longer than max_words after which drawing fails.
constexpr int kMaxRejected = 100000;

/// The value of field `index`, an image as bytes. Throws DataError unless it has the type that its
/// reader declares. `from` is the file or set of the record, `number` its number from 1.
FieldValue checked_value(FieldValue value, size_t index, const DataSource& source,
                         const std::string& from, int64_t number) {
  const auto found = source.types.find(source.names[index]);
  const FieldType* type = found == source.types.end() ? nullptr : &found->second;
  const std::string problem = problem_of(value, type);
  if (problem.empty()) return with_bytes(std::move(value), type);
  throw DataError("'" + from + "', record " + format_count(number) + ": the field '" +
                  source.read[index] + "' has " + problem);
}

/// Counts the records of a file and selects those of its range.
class RecordRange {
 public:
  explicit RecordRange(const SourceFile& file) {
    if (!file.listed || !file.listed->range) return;
    first_ = file.listed->range->front();
    end_ = file.listed->range->back();
  }

  bool takes_next() {
    const int64_t index = count_++;
    return index >= first_ && (!end_ || index < *end_);
  }
  void check(const fs::path& path) const {
    if (!end_ || count_ >= *end_) return;
    throw DataError("'" + path.string() + "' has " + format_count(count_, "record") +
                    ", but its manifest uses the range [" + std::to_string(first_) + ", " +
                    std::to_string(*end_) + "]");
  }

 private:
  int64_t first_ = 0, count_ = 0;
  std::optional<int64_t> end_;
};

/// Reads the records of all files, by role.
class ReadFiles {
 public:
  ReadFiles(const DataSource& source, const DataLocations& locations)
      : source_(source), locations_(locations) {
    for (const SourceGroup& group : source.groups) {
      const auto fields = requested_fields(source, group.role);
      if (gives(group, fields)) add(group, fields);
    }
    const bool has_pool = std::any_of(source.groups.begin(), source.groups.end(),
                                      [](const SourceGroup& each) { return each.role == "pool"; });
    if (!roles_.contains("pool") && (has_pool || roles_.empty()) && !source.set.is_generated()) {
      throw ConfigError("data.fields: no file of '" + source.set.name + "' contains " +
                        join(source.read, " and ") + (source.read.size() > 1 ? " together" : ""));
    }
    for (const auto& [role, records] : roles_) check_count(role, std::ssize(records.rows));
  }

  /// Records by role; the splits of `from_field` by their name.
  std::map<std::string, Records> take() { return std::move(roles_); }

 private:
  Records& records_of(const std::string& role) {
    return roles_.try_emplace(role, no_records(source_)).first->second;
  }

  /// The role of a record of the pool: that of its split, if a field contains it.
  std::string role_of(const Record& record, const std::vector<std::string>& fields,
                      size_t number) const {
    const auto& by_field = source_.rules.by_field;
    if (!by_field) return "pool";
    const auto index = std::find(fields.begin(), fields.end(), *by_field) - fields.begin();
    std::string split = collapse_white_space(text_of(record[static_cast<size_t>(index)]));
    if (split == "train") return "pool";
    if (split == "valid" || split == "test") return split;
    throw DataError("'" + source_.set.name + "', record " + format_count(number) + ": the field '" +
                    *by_field + "' is '" + split + "', not train, valid or test");
  }

  /// Adds the records of a group to its role, and its texts of `from_field` to their splits.
  void add(const SourceGroup& group, const std::vector<std::string>& fields) {
    std::vector<Records*> others;  // targets of the fields after those of the record
    if (group.role == "pool") {
      for (const auto& each : source_.rules.from_field) others.push_back(&records_of(each.first));
    }
    if (group.role == "pool" && source_.rules.by_field) {
      for (const char* split : {"valid", "test"}) records_of(split);
    }
    records_of(group.role);
    size_t number = 0;
    const auto count = static_cast<std::ptrdiff_t>(source_.read.size());
    for (Record& record : read(group, fields)) {
      const std::string role =
          group.role == "pool" ? role_of(record, fields, ++number) : group.role;
      for (size_t i = 0; i < others.size(); ++i) {
        others[i]->rows.push_back({std::move(record[count + i])});
      }
      record.resize(count);
      records_of(role).rows.push_back(std::move(record));
    }
  }

  /// The records of a group, with these fields. Throws DataError if the joined files have different
  /// numbers of records.
  std::vector<Record> read(const SourceGroup& group, const std::vector<std::string>& fields) {
    std::vector<Record> records;
    fs::path first;  // the first file that was read
    for (const SourceFile& file : group.files) {
      const auto indices = indices_in(file, group, fields);
      if (indices.empty()) continue;
      const fs::path path =
          file.listed ? obtain(source_.set, *file.listed, locations_) : fs::path(file.own);
      if (file.listed) check_attachments(file, path);
      int64_t number = 0;
      RecordRange range(file);
      const int64_t lines = file.reader->read(path, names_at(indices, fields), [&](Record values) {
        if (!range.takes_next()) return;
        if (first.empty()) records.emplace_back(fields.size());
        if (++number > std::ssize(records)) return;
        for (size_t i = 0; i < indices.size(); ++i) {
          FieldValue& value = records[number - 1][indices[i]];
          value = std::move(values[i]);
          if (indices[i] >= source_.read.size()) continue;
          value = checked_value(std::move(value), indices[i], source_, path.string(), number);
        }
      });
      if (file.listed) check_lines(*file.listed, path, lines);
      range.check(path);
      if (first.empty()) first = path;
      if (number != std::ssize(records)) {
        throw DataError("'" + first.string() + "' has " +
                        format_count(std::ssize(records), "record") + ", but '" + path.string() +
                        "', which is joined with it by '" + group.join + "', has " +
                        format_count(number));
      }
    }
    for (size_t i = 0; i < fields.size(); ++i) {
      const auto value = group.values.find(fields[i]);
      if (value == group.values.end()) continue;
      for (Record& record : records) record[i] = value->second;
    }
    return records;
  }

  /// Throws DataError if a file of a data set needs files that its checksum does not cover.
  static void check_attachments(const SourceFile& file, const fs::path& path) {
    for (const Attachment& each : file.reader->attachments(path)) {
      if (!each.sha256.empty()) continue;
      throw DataError("'" + path.string() + "': its reader gives no SHA-256 of '" + each.path +
                      "', which the files of a data set require");
    }
  }

  void check_count(const std::string& role, int64_t found) const {
    const auto expected = source_.set.records.find(role);
    if (expected == source_.set.records.end()) return;
    log_info(source_.set.name + ", " + role + ": " + format_count(found, "record"));
    if (found == expected->second) return;
    throw DataError("data.set=" + source_.set.name + ": the files of the role '" + role +
                    "' have " + format_count(found, "record") + " in total, expected " +
                    format_count(expected->second) + "; delete them and fetch them again");
  }

  const DataSource& source_;
  const DataLocations& locations_;
  std::map<std::string, Records> roles_;
};

/// Draws consecutive records of a generator and skips those longer than max_words.
class Drawing {
 public:
  explicit Drawing(const DataSource& source) : source_(source) {
    const auto all = source.set.reader->fields();
    for (const auto& field : source.read) {
      locations_.push_back(
          static_cast<size_t>(std::find(all.begin(), all.end(), field) - all.begin()));
    }
  }

  Records draw(int64_t count) {
    Records drawn = no_records(source_);
    int rejected = 0;
    while (std::ssize(drawn.rows) < count) {
      Record whole = source_.set.reader->draw(
          static_cast<uint64_t>(source_.set.draws.seed + source_.rules.seed), index_++);
      Record record;
      for (size_t i = 0; i < locations_.size(); ++i) {
        record.push_back(checked_value(std::move(whole[locations_[i]]), i, source_,
                                       source_.set.name, static_cast<int64_t>(index_)));
      }
      if (!is_too_long(record, drawn, source_.rules.max_words)) {
        drawn.rows.push_back(std::move(record));
        rejected = 0;
      } else if (++rejected == kMaxRejected) {
        throw ConfigError("data.max_words=" + std::to_string(source_.rules.max_words) + ": " +
                          format_count(kMaxRejected) +
                          " consecutive generated records are longer; increase the limit");
      }
    }
    return drawn;
  }

 private:
  const DataSource& source_;
  std::vector<size_t> locations_;
  uint64_t index_ = 0;
};

}  // namespace

std::map<std::string, Records> read_files(const DataSource& source,
                                          const DataLocations& locations) {
  return ReadFiles(source, locations).take();
}

Splits drawn_splits(const DataSource& source) {
  Splits splits;
  auto requested = source.set.draws.records;
  Drawing drawing(source);
  for (const char* split : {"valid", "test"}) {
    if (source.set.has_pool() || requested.contains(split)) {
      splits.records[split] = drawing.draw(requested[split]);
    }
  }
  for (const auto& [split, count] : requested) {
    if (!splits.records.contains(split) && split != "train") {
      splits.records[split] = drawing.draw(count);
    }
  }
  if (source.set.has_pool()) {
    const int64_t whole = requested["train"], most = source.rules.train_at_most;
    splits.records["train"] = drawing.draw(most > 0 ? std::min(most, whole) : whole);
  }
  for (const auto& [split, records] : splits.records) {
    (split == "test" ? splits.counts.test_given : splits.counts.pool) += std::ssize(records.rows);
  }
  splits.counts.lines = splits.counts.pool;
  return splits;
}

}  // namespace lvtext
