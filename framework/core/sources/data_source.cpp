#include "framework/core/sources/data_source.h"

#include <algorithm>
#include <filesystem>

#include "framework/core/base/error.h"
#include "framework/core/base/registry.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

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

void add_own_file(DataSource& source, const std::string& role, const std::string& key,
                  const std::string& path, const Choice<RecordReader>& reader) {
  if (path.empty()) return;
  // `reports/` is the same as `reports`, beside which other files are looked for.
  const std::string bare = (fs::path(path) / "").parent_path().string();
  source.groups.push_back({role, {{reader, nullptr, bare, key, reader->fields()}}});
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
    if (!contains(set.fields, field)) {
      source.mistakes.push_back({"fields", "'" + set.name + "' has no field '" + field + "'",
                                 suggestion(field, set.fields)});
    }
    if (const auto labels = set.labels.find(field); labels != set.labels.end()) {
      source.labels.insert(*labels);
    }
  }
  source.read = source.fields;
  const std::string& group = source.rules.group;
  if (!group.empty()) add_new(source.read, group);
  for (const auto& [field, values] : options.labels) {
    if (contains(source.fields, field)) continue;
    source.mistakes.push_back(
        {"labels." + field, "there is no field '" + field + "'", suggestion(field, source.fields)});
  }
}

/// Adds the types of the chosen fields, as declared by the reader.
void add_types(DataSource& source, const RecordReader& reader) {
  for (const auto& [field, type] : reader.types()) {
    if (!contains(source.read, field)) continue;
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
  if (group.empty() || contains(fields, group)) return;
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
  } else if (!contains(source.set.fields, *field) && !reads_any) {
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

}  // namespace

Manifest set_of(const DataOptions& options, const std::vector<fs::path>& folders) {
  return options.is_named() ? load_manifest(options.set, folders) : own_set(options);
}

std::vector<std::string> splits_of(const Manifest& set) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (name != "pool") add_new(names, name);
  };
  if (set.has_pool()) names = {"train", "valid", "test"};
  for (const auto& [split, share] : set.rules.shares) add(split);
  for (const auto& [split, field] : set.rules.from_field) add(split);
  for (const auto& [split, count] : set.draws.records) add(split);
  for (const DataFile& file : set.files) add(file.role);
  return names;
}

std::map<std::string, double> added_shares(const DataOptions& options, const Manifest& set) {
  std::map<std::string, double> added;
  if (set.is_generated() || !set.has_pool()) return added;
  const auto names = splits_of(set);
  for (const auto& [split, share] : options.shares) {
    if (!contains(names, split)) added[split] = share;
  }
  return added;
}

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

std::vector<size_t> indices_in(const SourceFile& file, const SourceGroup& group,
                               const std::vector<std::string>& requested) {
  std::vector<size_t> indices;
  for (size_t i = 0; i < requested.size(); ++i) {
    const bool is_there = file.fields.empty() || contains(file.fields, requested[i]);
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

bool gives(const SourceGroup& group, const std::vector<std::string>& requested) {
  size_t valued = 0, read = 0;
  for (const auto& field : requested) valued += group.values.contains(field);
  for (const SourceFile& file : group.files) read += indices_in(file, group, requested).size();
  return read > 0 && valued + read == requested.size();
}

Records no_records(const DataSource& source) {
  return {source.names, source.labels, {}, source.types};
}

void remove_group(const DataSource& source, Records& records) {
  const size_t count = source.fields.size();
  if (records.fields.size() == count) return;
  records.types.erase(records.fields.back());
  records.fields.resize(count);
  for (Record& record : records.rows) record.resize(count);
}

std::vector<std::string> requested_fields(const DataSource& source, const std::string& role) {
  std::vector<std::string> fields = source.read;
  if (role != "pool") return fields;
  for (const auto& [split, field] : source.rules.from_field) fields.push_back(field);
  const auto& by_field = source.rules.by_field;
  if (by_field) add_new(fields, *by_field);
  return fields;
}

}  // namespace lvtext
