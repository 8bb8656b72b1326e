#include "framework/pipeline/check/checked_data.h"

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/registry.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/mapping.h"
#include "framework/core/sources/manifest.h"
#include "framework/pipeline/recipe/reference.h"

namespace lvtext {
namespace {

/// Checks the names of further splits, which become names of files.
void check_split_names(const Node& data, Errors& errors) {
  for (const char* key : {"extra", "shares"}) {
    const Node* splits = data.find(key);
    if (!splits) continue;
    for (const Node::Entry& split : splits->entries()) {
      const bool is_taken = split.key == "train" || split.key == "valid" || split.key == "test";
      if (!is_taken && is_lower_snake(split.key)) continue;
      errors.add(split.key_location,
                 std::string("data.") + key + " cannot name a split " + shown(split.key),
                 is_taken ? "the set has one of this name" : "lower_snake, such as reverse");
    }
  }
}

/// Reports shares that have no effect, because the splits that a named set has are fixed, and one
/// without a training text cannot be divided further. Valid in a recipe are shares of splits that
/// the set has, with which it can also be run on own files, and those that were written for another
/// set, which an override or another file replaced.
void check_shares(const Node& data, const DataOptions& options, const std::string& path,
                  Errors& errors) {
  const DataOptions usual;
  const auto splits = split_names(options);
  DataOptions without_shares = options;
  without_shares.shares.clear();
  const auto fixed = split_names(without_shares);
  const Node* set = data.find("set");
  const auto check = [&](const std::string& key, const std::string& problem) {
    const SourceLocation location = location_of(data, key);
    const bool is_override = location.source && location.source->is_override;
    if (!is_override && set && set->location().source != location.source) return;
    errors.add(location, path + "." + key + ": the data set '" + options.name() + "' " + problem,
               "it has " + join(fixed) + "; shares divide files of your own (data.train=FILE)");
  };
  if (options.valid_share != usual.valid_share) check("valid_share", "has fixed splits");
  if (options.test_share != usual.test_share) check("test_share", "has fixed splits");
  for (const auto& [split, share] : options.shares) {
    const std::string key = "shares." + split;
    const SourceLocation location = location_of(data, key);
    if (!contains(splits, split)) {
      check(key, "has no split '" + split + "', and no training text that can be divided");
    } else if (contains(fixed, split) && location.source && location.source->is_override) {
      check(key, "has fixed splits");
    }
  }
}

/// The references of a derived set's `from`; none unless all are valid.
std::vector<Reference> references(const Node& from) {
  std::vector<Reference> all;
  for (const Node& item : from.is_sequence() ? from.items() : std::vector<Node>{from}) {
    auto reference = parse_reference(item.text());
    if (!reference) return {};
    all.push_back(std::move(*reference));
  }
  return all;
}

}  // namespace

SourceLocation location_of(const Node& data, const std::string& key) {
  SourceLocation location = data.location();
  const Node* node = &data;
  for (const auto& part : split(key, '.')) {
    const Node::Entry* entry = node->find_entry(part);
    if (!entry) break;
    location = entry->value.is_mapping() ? entry->key_location : entry->value.location();
    node = &entry->value;
  }
  return location;
}

void check_source(const Node& data, const DataOptions& options, const std::string& path,
                  Errors& errors) {
  for (const DataMistake& each : data_mistakes(options)) {
    errors.add(location_of(data, each.key), path + "." + each.key + ": " + each.message, each.hint);
  }
  if (options.train.empty()) check_shares(data, options, path, errors);
}

bool CheckedData::has_split(const std::string& split) const {
  return contains(splits, split);
}

bool fits_tokenizer(const RecipeOptions& recipe, const std::string& id) {
  const Node* artifact = recipe.artifacts.find(id);
  const Node* fit = artifact ? artifact->find("fit") : nullptr;
  if (!fit) return false;
  return contains(TokenizerFit::components().names(), fit->text());
}

DataSets::DataSets(const RecipeOptions& recipe, Errors& errors) : recipe_(recipe), errors_(errors) {
  const Node& written = recipe_.data;
  if (is_one_data_set(written)) {
    read_data_set({"data", written, written.location()}, "data");
    return;
  }
  for (const Node::Entry& entry : written.entries()) {
    if (!entry.value.find("from")) read_data_set(entry, "data." + entry.key);
  }
  read_derived_sets(written);
  std::stable_sort(all_.begin(), all_.end(), [&](const CheckedData& a, const CheckedData& b) {
    return written.find_entry(a.id) < written.find_entry(b.id);
  });
}

void DataSets::read_data_set(const Node::Entry& entry, const std::string& path) {
  CheckedData data{.id = entry.key};
  Node written = entry.value;
  const Node* tokenizer = written.find("tokenizer");
  if (tokenizer && tokenizer->is_scalar() && fits_tokenizer(recipe_, tokenizer->text())) {
    data.tokenizer = tokenizer->text();
    written = written.without("tokenizer");
  }
  const size_t before = errors_.count();
  data.block = parse_options<DataBlock>(written, errors_, {}, path);
  const bool is_parsed = errors_.count() == before;
  check_split_names(entry.value, errors_);
  check_data(entry, path, data, is_parsed);
  data.splits = split_names(data.block.source);
  if (data.tokenizer.empty() && !has_tokenizer_text(data.block)) {
    errors_.add(tokenizer ? tokenizer->location() : entry.value.location(),
                path + ".tokenizer: '" + data.block.source.name() +
                    "' has no training text, to which a tokenizer is fitted",
                "name a tokenizer of `artifacts`, such as {fit: words, data: news.train}");
  }
  all_.push_back(std::move(data));
}

void DataSets::check_data(const Node::Entry& entry, const std::string& path,
                          const CheckedData& data, bool is_parsed) {
  const DataOptions& options = data.block.source;
  const size_t before = errors_.count();
  const auto names = manifest_names(manifest_folders());
  if (options.is_named() && !contains(names, options.set)) {
    errors_.add(location_of(entry.value, "set"), "unknown data set '" + options.set + "'",
                suggestion(options.set, names));
  } else if (is_parsed || options.is_named()) {  // else the reader of own files is unknown
    check_source(entry.value, options, path, errors_);
  }
  if (errors_.count() != before) {
    invalid_.insert(entry.key);
  } else if (is_parsed) {
    records_.emplace(entry.key, describe_records(options));
  }
  for (const DataMistake& each : missing_files(options)) {
    errors_.add(location_of(entry.value, each.key), path + "." + each.key + ": " + each.message,
                each.hint, Exit::kMissingInput);
  }
}

void DataSets::describe(const Node::Entry& entry, const CheckedData& data) {
  const std::string& first = data.from.front().set;
  const auto parent = records_.find(first);
  if (parent == records_.end()) return;
  for (const auto& [set, split] : data.from) {
    const auto other = records_.find(set);
    if (other == records_.end()) return;
    const Records &a = parent->second, &b = other->second;
    if (a.fields == b.fields && a.labels == b.labels && a.types == b.types) continue;
    errors_.add(location_of(entry.value, "from"),
                "data." + entry.key + ".from: the records of " + first + " have the fields " +
                    join(a.fields) + ", those of " + set + " " + join(b.fields),
                "joined records must have the same fields, labels and types");
    return;
  }
  try {
    records_.emplace(entry.key, describe_derived(parent->second, data.derived->records, first));
  } catch (const DataError& error) {
    errors_.add(entry.key_location, "data." + entry.key + "." + error.what());
  }
}

std::vector<SplitOfSet> DataSets::sources(const Node::Entry& entry) {
  const std::vector<Reference> written = references(*entry.value.find("from"));
  if (written.size() == 1 && written.front().part.empty()) return {{written.front().entry(), ""}};
  std::vector<SplitOfSet> sources;
  for (const Reference& reference : written) {
    const CheckedData& set = *find(reference.entry());
    const auto [split, column] = split_and_column(set, reference.part);
    if (split.empty() || !column.empty()) {
      errors_.add(location_of(entry.value, "from"),
                  "data." + entry.key + ".from: " + shown(reference.text()) +
                      " is not a split of " + set.id,
                  "it has " + join(set.splits) + ", such as " + set.id + "." + set.splits.front());
    }
    sources.push_back({set.id, split});
  }
  return sources;
}

void DataSets::read_derived_sets(const Node& written) {
  std::vector<Node::Entry> waiting;
  for (const Node::Entry& entry : written.entries()) {
    if (entry.value.find("from")) waiting.push_back(entry);
  }
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (size_t i = 0; i < waiting.size(); ++i) {
      const auto named = references(*waiting[i].value.find("from"));
      const bool is_known =
          !named.empty() && std::all_of(named.begin(), named.end(), [&](const Reference& each) {
            return find(each.entry()) != nullptr;
          });
      if (!is_known) continue;
      const size_t before = errors_.count();
      CheckedData data{.id = waiting[i].key, .from = sources(waiting[i])};
      const CheckedData* parent = find(data.from.front().set);
      data.splits =
          data.from.front().split.empty() ? parent->splits : std::vector<std::string>{"train"};
      data.derived =
          parse_options<DerivedBlock>(waiting[i].value, errors_, {}, "data." + waiting[i].key);
      check_columns(waiting[i], *parent);
      check_pack(waiting[i], data);
      if (errors_.count() == before) describe(waiting[i], data);
      all_.push_back(std::move(data));
      waiting.erase(waiting.begin() + static_cast<long>(i));
      is_new = true;
      break;
    }
  }
  for (const Node::Entry& entry : waiting) {
    const Node& from = *entry.value.find("from");
    bool is_there = true;
    for (const Node& item : from.is_sequence() ? from.items() : std::vector<Node>{from}) {
      const auto reference = parse_reference(item.text());
      if (reference && written.find(reference->entry())) continue;
      is_there = false;
      errors_.add(item.location(),
                  "data." + entry.key + ".from: " + shown(item.text()) +
                      " is not a data set of this recipe",
                  suggestion(reference ? reference->entry() : item.text(), keys_of(written)));
    }
    if (!is_there) continue;
    errors_.add(from.location(),
                "data." + entry.key + ".from: " +
                    (from.is_sequence() && from.items().empty()
                         ? "must name a data set"
                         : "the data sets are derived from each other in a cycle"));
  }
}

void DataSets::check_pack(const Node::Entry& entry, const CheckedData& data) {
  const Choice<Packer>& pack = data.derived->pack;
  if (!pack || !pack->reads_running_text()) return;
  for (const CheckedData* root : roots(data)) {
    if (is_invalid(root->id)) continue;
    const std::string rules = record_rules(root->block.source);
    if (rules.empty()) continue;
    errors_.add(location_of(entry.value, "pack"),
                "data." + entry.key + ".pack: " + pack.name() +
                    " reads running text, but the records of " + root->id +
                    " are removed or reordered by " + rules,
                "set data." + root->id + ".pack: " + pack.name() +
                    ", which switches them off, or each of them to false (order: document)");
  }
}

std::vector<const CheckedData*> DataSets::roots(const CheckedData& data) const {
  if (!data.derived) return {&data};
  std::vector<const CheckedData*> all;
  for (const auto& [set, split] : data.from) {
    for (const CheckedData* root : roots(*find(set))) add_new(all, root);
  }
  return all;
}

void DataSets::check_columns(const Node::Entry& entry, const CheckedData& parent) {
  const auto known = columns(parent);
  if (known.empty()) return;
  const auto check = [&](const Node& name, const SourceLocation& location, const std::string& key) {
    if (contains(known, name.text())) return;
    errors_.add(
        location,
        "data." + entry.key + "." + key + ": " + parent.id + " has no column " + shown(name.text()),
        suggestion(name.text(), known));
  };
  const Node* flatten = entry.value.find("flatten");
  if (flatten && !flatten->text().empty()) {
    check(*flatten, flatten->location(), "flatten");
  }
  if (const Node* columns = entry.value.find("columns")) {
    for (const Node& column : columns->items()) check(column, column.location(), "columns");
  }
  const Node* where = entry.value.find("where");
  for (const Node::Entry& condition : where ? where->entries() : std::vector<Node::Entry>()) {
    check(Node::scalar(condition.key), condition.key_location, "where");
  }
}

std::pair<std::string, std::string> DataSets::split_and_column(const CheckedData& data,
                                                               const std::string& part) const {
  const std::string only = data.splits.size() == 1 ? data.splits.front() : "";
  if (part.empty()) return {only, ""};
  if (data.has_split(part)) return {part, ""};
  const size_t point = part.find('.');
  const std::string first = part.substr(0, point);
  const bool names_split = point != std::string::npos && data.has_split(first);
  const std::string split = names_split ? first : only;
  const std::string column = names_split ? part.substr(point + 1) : part;
  const auto known = columns(data);
  const bool is_column = known.empty() || contains(known, column);
  return is_column ? std::pair{split, column} : std::pair{std::string(), std::string()};
}

const Records* DataSets::packed(const std::string& id) const {
  const CheckedData* data = find(id);
  const auto records = records_.find(id);
  if (!data || records == records_.end()) return nullptr;
  const Choice<Packer>& pack = data->derived ? data->derived->pack : data->block.pack;
  return pack.plugin() ? nullptr : &records->second;
}

std::string DataSets::name(const CheckedData& data) const {
  const bool is_named = !data.derived && data.block.source.is_named();
  return "the data set " + shown(is_named ? data.block.source.set : data.id);
}

std::vector<std::string> DataSets::columns(const CheckedData& data) const {
  // The only field of a set is renamed to "text".
  if (const auto known = records_.find(data.id); known != records_.end()) {
    return known->second.fields;
  }
  if (data.derived) {
    if (!data.derived->records.columns.empty()) return data.derived->records.columns;
    const CheckedData* parent = find(data.from.front().set);
    return parent ? columns(*parent) : std::vector<std::string>();
  }
  const DataOptions& options = data.block.source;
  if (!options.fields.empty() || !options.is_named()) return options.fields;
  const auto folders = manifest_folders();
  const auto names = manifest_names(folders);
  if (!contains(names, options.set)) return {};
  return load_manifest(options.set, folders).fields;
}

std::string DataSets::ambiguity() const {
  std::vector<std::string> ids;
  for (const CheckedData& data : all_) ids.push_back(data.id);
  return "the recipe has several data sets; specify one of " + join(ids);
}

}  // namespace lvtext
