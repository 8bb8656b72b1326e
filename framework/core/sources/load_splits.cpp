#include "framework/core/sources/load_splits.h"

#include <algorithm>
#include <memory>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/log.h"
#include "framework/core/base/registry.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/white_space.h"
#include "framework/core/options/json.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

/// Number of consecutive records longer than max_words after which drawing fails.
constexpr int kMaxRejected = 100000;

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A file to read: listed in the manifest of a set, or the user's own.
struct SourceFile {
  Choice<RecordReader> reader;
  const DataFile* listed = nullptr;
  std::string own, key;                  ///< for an own file: its path, and the option that sets it
  std::vector<std::string> fields = {};  ///< fields that it provides; empty: any
};

/// Files whose records are joined line by line; usually one.
struct SourceGroup {
  std::string role;
  std::vector<SourceFile> files = {};
  std::map<std::string, std::string> values = {};  ///< fields with one value for all records
  std::string join = {};                           ///< DataFile::join of the files
};

/// The data specified by options and manifest.
struct DataSource {
  Manifest set;  ///< for own files, see own_set()
  bool is_own = false;
  std::vector<std::string> fields;
  std::vector<std::string> read;   ///< the fields and, if it is not one of them, rules.group
  std::vector<std::string> names;  ///< names of `read` in the records
  Labels labels;
  FieldTypes types;
  SplitRules rules;
  std::vector<SourceGroup> groups;
  std::vector<DataMistake> mistakes;  ///< of the options
};

std::vector<std::string> fields_of(const DataFile& file, const Choice<RecordReader>& reader) {
  if (!file.field.empty()) return {file.field};
  return reader->fields();
}

/// The set of own files, or of a generator's records.
Manifest own_set(const DataOptions& options) {
  Manifest set;
  set.name = options.name();
  set.fields = options.reader->fields();
  if (set.fields.empty()) set.fields = options.fields;
  if (set.fields.empty()) set.fields = {"text"};
  set.use = set.fields;
  set.labels = options.labels;
  set.reader = options.reader;
  if (options.draws) {
    set.draws = *options.draws;
    return set;
  }
  set.rules.valid_share = options.valid_share;
  set.rules.test_share = options.test.empty() ? options.test_share : 0;
  set.rules.shares = options.shares;
  return set;
}

/// The set that the options name or describe.
Manifest set_of(const DataOptions& options, const std::vector<fs::path>& folders) {
  return options.is_named() ? load_manifest(options.set, folders) : own_set(options);
}

void add_own_file(DataSource& source, const std::string& role, const std::string& key,
                  const std::string& path, const Choice<RecordReader>& reader) {
  if (path.empty()) return;
  source.groups.push_back({role, {{reader, nullptr, path, key, reader->fields()}}});
}

/// The splits of the set itself, without those of the options; no "pool".
std::vector<std::string> splits_of(const Manifest& set) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!has(names, name) && name != "pool") names.push_back(name);
  };
  if (set.has_pool()) names = {"train", "valid", "test"};
  for (const auto& [split, share] : set.rules.shares) add(split);
  for (const auto& [split, field] : set.rules.from_field) add(split);
  for (const auto& [split, count] : set.draws.records) add(split);
  for (const DataFile& file : set.files) add(file.role);
  return names;
}

/// The shares of splits that a named set lacks, which divide its training records. None if it has
/// no files of a pool.
std::map<std::string, double> added_shares(const DataOptions& options, const Manifest& set) {
  std::map<std::string, double> added;
  if (set.is_generated() || !set.has_pool()) return added;
  const auto names = splits_of(set);
  for (const auto& [split, share] : options.shares) {
    if (!has(names, split)) added[split] = share;
  }
  return added;
}

/// Applies the recipe's options to the split rules of the set.
void apply(const DataOptions& options, SplitRules& rules) {
  rules.max_words = options.max_words;
  rules.train_at_most = options.train_at_most;
  rules.seed = options.seed;
  rules.group = options.group.value_or(rules.group);
  rules.dedupe = options.dedupe.value_or(rules.dedupe);
  rules.remove_test_overlap = options.remove_test_overlap.value_or(rules.remove_test_overlap);
  // An unset rule is true; writing so must not change identities.
  const bool removes_valid = rules.remove_valid_overlap.value_or(true);
  if (options.remove_valid_overlap.value_or(removes_valid) != removes_valid) {
    rules.remove_valid_overlap = options.remove_valid_overlap;
  }
  rules.clean = options.clean.value_or(rules.clean);
  rules.order = options.order.value_or(rules.order);
  if (options.by_field) rules.by_field = options.by_field;
  if (options.without) rules.without = options.without;
  if (options.min_word_count) rules.min_word_count = options.min_word_count;
  for (const auto& [split, file] : options.extra) {
    rules.shares.erase(split);
    rules.from_field.erase(split);
  }
}

void choose_fields(const DataOptions& options, DataSource& source) {
  const Manifest& set = source.set;
  if (set.fields.empty()) {
    source.mistakes.push_back({"set", "'" + set.name + "' has files, but no records",
                               "its files are read by {set: " + set.name + ", file: FILE}"});
    return;
  }
  source.fields = options.fields;
  if (source.fields.empty()) source.fields = set.use;
  if (source.fields.empty()) source.fields = {set.fields.front()};
  for (const auto& field : source.fields) {
    if (!has(set.fields, field)) {
      source.mistakes.push_back({"fields", "'" + set.name + "' has no field '" + field + "'",
                                 suggestion(field, set.fields)});
    }
    if (const auto labels = set.labels.find(field); labels != set.labels.end()) {
      source.labels.insert(*labels);
    }
  }
  source.read = source.fields;
  const std::string& group = source.rules.group;
  if (!group.empty() && !has(source.read, group)) source.read.push_back(group);
  for (const auto& [field, values] : options.labels) {
    if (has(source.fields, field)) continue;
    source.mistakes.push_back(
        {"labels." + field, "there is no field '" + field + "'", suggestion(field, source.fields)});
  }
}

/// Adds the types of the chosen fields, as declared by the reader.
void add_types(DataSource& source, const RecordReader& reader) {
  for (const auto& [field, type] : reader.types()) {
    if (!has(source.read, field)) continue;
    if (source.labels.contains(field)) {
      source.mistakes.push_back({"labels." + field,
                                 "the field '" + field + "' of '" + source.set.name +
                                     "' contains " + type.summary() + " and cannot be a label",
                                 ""});
      continue;
    }
    if (source.types.emplace(field, type).first->second == type) continue;
    source.mistakes.push_back(
        {"reader", "two readers of '" + source.set.name + "' differ in the type of '" + field + "'",
         ""});
  }
}

void choose_types(const DataOptions& options, DataSource& source) {
  add_types(source, *source.set.reader);
  for (const DataFile& file : source.set.files) add_types(source, *source.set.reader_of(file));
  if (!options.extra.empty()) add_types(source, *options.reader);
}

void add_listed_files(DataSource& source) {
  auto& groups = source.groups;
  for (const DataFile& file : source.set.files) {
    const std::string join = file.join.value_or("");
    auto group = std::find_if(groups.begin(), groups.end(), [&](const SourceGroup& each) {
      return !join.empty() && each.join == join && each.role == file.role;
    });
    if (group == groups.end()) {
      group = groups.insert(group, SourceGroup{.role = file.role, .join = join});
    }
    const auto& reader = source.set.reader_of(file);
    group->files.push_back({reader, &file, "", "", fields_of(file, reader)});
    if (file.values) group->values.insert(file.values->begin(), file.values->end());
  }
}

/// Checks the field by which records are grouped.
void check_group(DataSource& source) {
  const std::string& group = source.rules.group;
  const auto& fields = source.set.fields;
  if (group.empty() || has(fields, group)) return;
  source.mistakes.push_back({"group", "'" + source.set.name + "' has no field '" + group + "'",
                             suggestion(group, fields)});
}

/// Checks the field that contains the splits of the records.
void check_by_field(DataSource& source) {
  const auto& field = source.rules.by_field;
  if (!field) return;
  const std::string name = "'" + source.set.name + "'";
  const auto types = source.set.reader->types();
  const bool reads_any = source.is_own && source.set.reader->fields().empty();
  if (source.set.is_generated()) {
    source.mistakes.push_back(
        {"by_field", name + " is generated, with its numbers of records in `draws`", ""});
  } else if (!has(source.set.fields, *field) && !reads_any) {
    source.mistakes.push_back({"by_field", name + " has no field '" + *field + "'",
                               suggestion(*field, source.set.fields)});
  } else if (const auto type = types.find(*field); type != types.end()) {
    source.mistakes.push_back({"by_field",
                               "the field '" + *field + "' of " + name + " contains " +
                                   type->second.summary() + ", not the name of a split",
                               ""});
  }
}

/// Checks that records are not removed from a generated set, which has given numbers of them.
void check_words(DataSource& source) {
  if (!source.set.is_generated()) return;
  const auto refuse = [&](const char* key) {
    source.mistakes.push_back(
        {key, "'" + source.set.name + "' is generated, with its numbers of records in `draws`",
         ""});
  };
  if (source.rules.without) refuse("without");
  if (source.rules.min_word_count) refuse("min_word_count");
}

/// Checks that a generator is used with `draws`, and a reader of files without them.
void check_reader(const DataOptions& options, DataSource& source) {
  const std::string reader = "'" + options.reader.name() + "'";
  const bool reads_own = !options.train.empty() || !options.extra.empty();
  if (options.reader->generates()) {
    if (reads_own) {
      source.mistakes.push_back({"reader", reader + " generates records and cannot read files",
                                 "see `lvtext list readers`"});
    } else if (!options.draws) {
      source.mistakes.push_back({"reader", reader + " generates records, whose number is missing",
                                 "add draws: {records: {train: 3200, valid: 400, test: 400}}"});
    }
    return;
  }
  if (options.draws && options.train.empty()) {
    source.mistakes.push_back({"reader", reader + " reads files and generates no records for draws",
                               "see `lvtext list readers`"});
  }
}

/// Checks the numbers of records that are drawn.
void check_draws(const DataOptions& options, DataSource& source) {
  if (!options.draws) return;
  if (options.draws->records.empty()) {
    source.mistakes.push_back(
        {"draws", "the numbers of records are missing", "such as records: {train: 3200}"});
  }
  for (const auto& [split, count] : options.draws->records) {
    if (is_lower_snake(split)) continue;
    source.mistakes.push_back({"draws.records." + split, "cannot name a split '" + split + "'",
                               "lower_snake, such as reverse"});
  }
}

/// A single text field is renamed to "text", which is the name that models expect.
void name_fields(DataSource& source) {
  const auto& fields = source.fields;
  std::string& group = source.rules.group;
  source.names = source.read;
  if (fields.size() != 1) return;
  if (source.labels.contains(fields.front()) || source.types.contains(fields.front())) return;
  source.names.front() = "text";
  if (group == fields.front()) group = "text";
}

/// The source with all mistakes of the options. Returns a shared pointer because the files point
/// into the set.
std::shared_ptr<const DataSource> checked_source(const DataOptions& options,
                                                 const std::vector<fs::path>& folders) {
  auto source = std::make_shared<DataSource>();
  check_reader(options, *source);
  check_draws(options, *source);
  source->is_own = !options.train.empty();
  // The set of a generator without draws has its fields, so that this is the only mistake.
  const bool lacks_draws =
      options.is_named() && options.extra.empty() && options.reader->generates();
  source->set = lacks_draws ? own_set(options) : set_of(options, folders);
  source->rules = source->set.rules;
  if (!source->is_own) source->rules.shares.merge(added_shares(options, source->set));
  apply(options, source->rules);
  choose_fields(options, *source);
  choose_types(options, *source);
  if (!source->rules.from_field.empty() && (source->read.size() > 1 || !source->types.empty())) {
    source->mistakes.push_back({"fields",
                                "must be one of " + join(source->set.fields) + "; '" +
                                    source->set.name + "' has a split '" +
                                    source->rules.from_field.begin()->first +
                                    "' that is read from a single text field",
                                ""});
  }
  check_group(*source);
  check_by_field(*source);
  check_words(*source);
  name_fields(*source);
  if (source->is_own) {
    add_own_file(*source, "pool", "data.train", options.train, options.reader);
    add_own_file(*source, "valid", "data.valid", options.valid, options.reader);
    add_own_file(*source, "test", "data.test", options.test, options.reader);
  } else {
    add_listed_files(*source);
  }
  for (const auto& [split, file] : options.extra) {
    add_own_file(*source, split, "data.extra." + split, file, options.reader);
  }
  return source;
}

/// Throws ConfigError with all mistakes of the options.
std::shared_ptr<const DataSource> data_source(const DataOptions& options,
                                              const std::vector<fs::path>& folders) {
  auto source = checked_source(options, folders);
  if (source->mistakes.empty()) return source;
  std::vector<std::string> lines;
  for (const DataMistake& each : source->mistakes) {
    lines.push_back("data." + each.key + ": " + each.message +
                    (each.hint.empty() ? "" : "; " + each.hint));
  }
  throw ConfigError(join(lines, "\n"));
}

/// The indices of the fields of `requested` that a file of the group contains.
std::vector<size_t> indices_in(const SourceFile& file, const SourceGroup& group,
                               const std::vector<std::string>& requested) {
  std::vector<size_t> indices;
  for (size_t i = 0; i < requested.size(); ++i) {
    const bool is_there = file.fields.empty() || has(file.fields, requested[i]);
    if (is_there && !group.values.contains(requested[i])) indices.push_back(i);
  }
  return indices;
}

std::vector<std::string> names_at(const std::vector<size_t>& indices,
                                  const std::vector<std::string>& names) {
  std::vector<std::string> chosen;
  for (const size_t index : indices) chosen.push_back(names[index]);
  return chosen;
}

/// Whether the records of a group have all of these fields, at least one of them from a file.
bool gives(const SourceGroup& group, const std::vector<std::string>& requested) {
  size_t valued = 0, read = 0;
  for (const auto& field : requested) valued += group.values.contains(field);
  for (const SourceFile& file : group.files) read += indices_in(file, group, requested).size();
  return read > 0 && valued + read == requested.size();
}

Records no_records(const DataSource& source) {
  return {source.names, source.labels, {}, source.types};
}

/// Removes the field that was read only to group the records.
void remove_group(const DataSource& source, Records& records) {
  const size_t count = source.fields.size();
  if (records.fields.size() == count) return;
  records.types.erase(records.fields.back());
  records.fields.resize(count);
  for (Record& record : records.rows) record.resize(count);
}

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

/// The fields to read from the files of a role: those of the record and, for the pool, those of
/// `from_field` and `by_field`.
std::vector<std::string> requested_fields(const DataSource& source, const std::string& role) {
  std::vector<std::string> fields = source.read;
  if (role != "pool") return fields;
  for (const auto& [split, field] : source.rules.from_field) fields.push_back(field);
  const auto& by_field = source.rules.by_field;
  if (by_field && !has(fields, *by_field)) fields.push_back(*by_field);
  return fields;
}

/// Calls `each` with every file that is read, its group and the fields to read.
template <class Each>
void for_each_file(const DataSource& source, const Each& each) {
  for (const SourceGroup& group : source.groups) {
    const auto requested = requested_fields(source, group.role);
    if (!gives(group, requested)) continue;
    for (const SourceFile& file : group.files) {
      const auto fields = names_at(indices_in(file, group, requested), requested);
      if (!fields.empty()) each(group, file, fields);
    }
  }
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
    const std::string split = collapse_white_space(text_of(record[static_cast<size_t>(index)]));
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

/// Appends the training records to each split of `from_field`.
void append_training(const DataSource& source, Splits& splits) {
  for (const auto& [split, field] : source.rules.from_field) {
    if (source.fields.front() == field) continue;  // the field of the training text
    const auto& train = splits.records.at("train").rows;
    auto& rows = splits.records.at(split).rows;
    rows.insert(rows.end(), train.begin(), train.end());
  }
}

void check_held_out(const DataOptions& options, const Splits& splits) {
  for (const char* name : {"valid", "test"}) {
    if (!splits.records.at(name).rows.empty()) continue;
    if (options.by_field) {
      throw DataError("'" + options.train + "' has no usable record whose field '" +
                      *options.by_field + "' is " + name);
    }
    throw DataError(
        "'" + options.train + "' has " + format_count(splits.counts.pool, "usable record") +
        ", too few to hold out any for data." + name + "; use a longer text, increase data." +
        name + "_share, or set data." + name + "=FILE");
  }
}

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

/// Independent draws: the splits follow one distribution, and may share records. Training comes
/// last, so that fewer training records change no other split.
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

/// The mistake of a path without a file.
std::optional<DataMistake> missing_file(const std::string& key, const std::string& path) {
  std::error_code failed;
  if (fs::status(path, failed).type() != fs::file_type::not_found) return std::nullopt;
  return DataMistake{
      key, "there is no file '" + path + "'",
      "paths are relative to the working directory, " + fs::current_path(failed).string()};
}

nlohmann::json content(const SourceFile& file) {
  if (file.listed) return file.listed->sha256;
  if (const auto missing = missing_file(file.key, file.own)) {
    throw MissingError(file.key + ": " + missing->message + "; " + missing->hint);
  }
  try {
    return sha256_file(file.own);
  } catch (const Error& error) {
    throw Error(error.code(), file.key + ": " + error.what());
  }
}

/// A hash of the names and contents of the files that an own file needs and does not verify; empty
/// if there are none.
std::string content_of_attachments(const SourceFile& file) {
  std::string contents;
  for (const Attachment& each : file.reader->attachments(file.own)) {
    if (!each.sha256.empty()) continue;
    const fs::path path = fs::path(file.own).parent_path() / each.path;
    // A file that is missing is an error of its record, with its line, when it is read.
    contents += each.path + "\t" + (fs::exists(path) ? sha256_file(path) : "") + "\n";
  }
  return contents.empty() ? "" : sha256(contents);
}

}  // namespace

std::vector<DataMistake> data_mistakes(const DataOptions& options,
                                       const std::vector<fs::path>& folders) {
  return checked_source(options, folders)->mistakes;
}

std::vector<DataMistake> missing_files(const DataOptions& options) {
  std::vector<DataMistake> missing;
  const auto add = [&missing](const std::string& key, const std::string& path) {
    if (path.empty()) return;
    if (auto mistake = missing_file(key, path)) missing.push_back(std::move(*mistake));
  };
  add("train", options.train);
  add("valid", options.valid);
  add("test", options.test);
  for (const auto& [split, path] : options.extra) add("extra." + split, path);
  return missing;
}

Records describe_records(const DataOptions& options, const std::vector<fs::path>& folders) {
  const auto source = data_source(options, folders);
  Records records = no_records(*source);
  remove_group(*source, records);
  return records;
}

std::shared_ptr<const Plugin> reader_plugin(const DataOptions& options,
                                            const std::vector<fs::path>& folders) {
  const auto source = data_source(options, folders);
  for (const SourceGroup& group : source->groups) {
    for (const SourceFile& file : group.files) {
      if (auto plugin = file.reader.plugin()) return plugin;
    }
  }
  return source->set.reader.plugin();
}

std::string DataOptions::name() const {
  if (is_named()) return set;
  return draws ? reader.name() : "own text";
}

std::string DataOptions::record_filter() const {
  if (max_words > 0) return "max_words";
  if (without) return "without";
  if (min_word_count) return "min_word_count";
  if (clean.value_or(false)) return "clean";
  if (dedupe.value_or(false)) return "dedupe";
  if (remove_test_overlap.value_or(false)) return "remove_test_overlap";
  if (remove_valid_overlap.value_or(false)) return "remove_valid_overlap";
  return order == SplitOrder::kContent ? "order" : "";
}

void DataOptions::keep_all_records() {
  clean = dedupe = remove_test_overlap = remove_valid_overlap = false;
  order = SplitOrder::kDocument;
}

std::string record_rules(const DataOptions& options, const std::vector<fs::path>& folders) {
  const auto source = checked_source(options, folders);
  if (source->set.is_generated() && !source->is_own) return "";
  const SplitRules& rules = source->rules;
  std::vector<std::string> active;
  if (rules.max_words > 0) active.emplace_back("max_words");
  if (rules.without) active.emplace_back("without");
  if (rules.min_word_count) active.emplace_back("min_word_count");
  if (rules.clean) active.emplace_back("clean");
  if (rules.dedupe) active.emplace_back("dedupe");
  if (rules.remove_test_overlap) active.emplace_back("remove_test_overlap");
  if (rules.remove_valid_overlap.value_or(true)) active.emplace_back("remove_valid_overlap");
  if (rules.order == SplitOrder::kContent) active.emplace_back("order");
  return join(active);
}

DataOptions with_rules(DataOptions options, const std::vector<fs::path>& folders) {
  const auto source = checked_source(options, folders);
  if (source->set.is_generated() && !source->is_own) return options;
  const SplitRules& rules = source->rules;
  if (!rules.group.empty()) options.group = rules.group;
  options.dedupe = rules.dedupe;
  options.remove_test_overlap = rules.remove_test_overlap;
  options.remove_valid_overlap = rules.remove_valid_overlap.value_or(true);
  options.clean = rules.clean;
  options.order = rules.order;
  return options;
}

std::vector<std::string> split_names(const DataOptions& options,
                                     const std::vector<fs::path>& folders) {
  std::vector<std::string> names = {"train", "valid", "test"};
  auto shares = options.shares;
  if (options.train.empty()) {
    if (options.is_named() && !has(manifest_names(folders), options.set)) return names;
    const Manifest set = set_of(options, folders);
    names = splits_of(set);
    shares = added_shares(options, set);
  }
  const auto add = [&](const std::string& name) {
    if (!has(names, name)) names.push_back(name);
  };
  for (const auto& [split, share] : shares) add(split);
  for (const auto& [split, file] : options.extra) add(split);
  return names;
}

Splits load_splits(const DataOptions& options, const DataLocations& locations,
                   const std::vector<fs::path>& folders) {
  const auto source = data_source(options, folders);
  std::map<std::string, Records> read = ReadFiles(*source, locations).take();
  Splits splits;
  if (source->set.is_generated() && !source->is_own) {
    splits = drawn_splits(*source);
    for (auto& [split, records] : read) {
      set_extra_split(splits, split, std::move(records), source->rules);
    }
  } else {
    splits = make_splits(std::move(read), source->rules);
    append_training(*source, splits);
    if (source->is_own) check_held_out(options, splits);
  }
  for (auto& [split, records] : splits.records) remove_group(*source, records);
  return splits;
}

nlohmann::json data_fingerprint(const DataOptions& options, const std::vector<fs::path>& folders) {
  const auto source = data_source(options, folders);
  nlohmann::json print = {{"set", source->set.name},
                          {"fields", source->fields},
                          {"labels", source->labels},
                          {"rules", canonical_json(to_node(source->rules))},
                          {"files", nlohmann::json::array()}};
  if (source->set.is_generated()) {
    print["draws"] = canonical_json(to_node(source->set.draws));
    print["reader"] = canonical_json(write_option(source->set.reader));
  }
  for_each_file(*source, [&](const SourceGroup& group, const SourceFile& file, const auto& fields) {
    nlohmann::json entry = {{"role", group.role},
                            {"sha256", content(file)},
                            {"reader", canonical_json(write_option(file.reader))}};
    // Omitted if empty, so that sets without these keys keep their identities.
    if (!group.values.empty()) entry["values"] = group.values;
    if (!group.join.empty()) entry.update({{"join", group.join}, {"fields", fields}});
    const std::string attached = file.listed ? "" : content_of_attachments(file);
    if (!attached.empty()) entry["attachments"] = attached;
    if (file.listed && file.listed->range) entry["range"] = *file.listed->range;
    print["files"].push_back(std::move(entry));
  });
  return print;
}

int64_t records_revision(const DataOptions& options, const std::vector<fs::path>& folders) {
  const auto source = data_source(options, folders);
  const Manifest& set = source->set;
  if (set.is_generated() && options.extra.empty()) {
    return set.revision.value_or(kRecordsRevision);
  }
  int64_t revision = 1;
  for_each_file(*source, [&](const SourceGroup&, const SourceFile& file, const auto&) {
    revision = std::max(revision, file.listed ? set.revision_of(*file.listed) : kRecordsRevision);
  });
  return revision;
}

}  // namespace lvtext
