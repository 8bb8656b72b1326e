#include "framework/pipeline/experiment/checked_data.h"

#include <algorithm>

#include "framework/core/base/registry.h"
#include "framework/core/base/strings.h"
#include "framework/core/data/manifest.h"
#include "framework/core/options/mapping.h"

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

/// Checks the names of the set and its fields; the contents of files are checked when they are
/// read.
void check_data(const Node& data, const DataOptions& options, Errors& errors) {
  check_split_names(data, errors);
  if (!options.train.empty()) return;
  const auto folders = manifest_folders();
  const auto names = manifest_names(folders);
  const auto refuse = [&](const char* key, const std::string& what, const std::string& given,
                          const std::vector<std::string>& known) {
    const Node* written = data.find(key);
    errors.add(written ? written->location() : data.location(),
               "unknown " + what + " '" + given + "'", suggestion(given, known));
  };
  if (std::find(names.begin(), names.end(), options.set) == names.end()) {
    return refuse("set", "data set", options.set, names);
  }
  const auto known = load_manifest(options.set, folders).fields;
  for (const auto& field : options.fields) {
    if (std::find(known.begin(), known.end(), field) != known.end()) continue;
    refuse("fields", "field of " + options.set, field, known);
  }
}

}  // namespace

bool CheckedData::has_split(const std::string& split) const {
  return std::find(splits.begin(), splits.end(), split) != splits.end();
}

bool fits_tokenizer(const RecipeOptions& recipe, const std::string& id) {
  const Node* artifact = recipe.artifacts.find(id);
  const Node* fit = artifact ? artifact->find("fit") : nullptr;
  if (!fit) return false;
  const auto names = TokenizerFit::components().names();
  return std::find(names.begin(), names.end(), fit->text()) != names.end();
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
  data.block = parse_options<DataBlock>(written, errors_, {}, path);
  const size_t before = errors_.count();
  check_data(entry.value, data.block.source, errors_);
  if (errors_.count() != before) invalid_.insert(entry.key);
  data.splits = split_names(data.block.source);
  if (data.tokenizer.empty() && !has_tokenizer_text(data.block)) {
    errors_.add(tokenizer ? tokenizer->location() : entry.value.location(),
                path + ".tokenizer: '" + data.block.source.set +
                    "' has no training text, to which a tokenizer is fitted",
                "name a tokenizer of `artifacts`, such as {fit: words, data: news.train}");
  }
  all_.push_back(std::move(data));
}

void DataSets::read_derived_sets(const Node& written) {
  std::vector<Node::Entry> waiting;
  for (const Node::Entry& entry : written.entries()) {
    if (entry.value.find("from")) waiting.push_back(entry);
  }
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (size_t i = 0; i < waiting.size(); ++i) {
      const CheckedData* parent = find(waiting[i].value.find("from")->text());
      if (!parent) continue;
      CheckedData data{.id = waiting[i].key, .splits = parent->splits};
      data.derived =
          parse_options<DerivedBlock>(waiting[i].value, errors_, {}, "data." + waiting[i].key);
      check_columns(waiting[i], *parent);
      all_.push_back(std::move(data));
      waiting.erase(waiting.begin() + static_cast<long>(i));
      is_new = true;
      break;
    }
  }
  for (const Node::Entry& entry : waiting) {
    const Node& from = *entry.value.find("from");
    const bool is_there = written.find(from.text()) != nullptr;
    errors_.add(from.location(),
                "data." + entry.key + ".from: " +
                    (is_there ? "the data sets are derived from each other in a cycle"
                              : shown(from.text()) + " is not a data set of this recipe"),
                is_there ? "" : suggestion(from.text(), keys_of(written)));
  }
}

void DataSets::check_columns(const Node::Entry& entry, const CheckedData& parent) {
  const auto known = columns(parent);
  if (known.empty()) return;
  const auto check = [&](const Node& name, const SourceLocation& location, const std::string& key) {
    if (std::find(known.begin(), known.end(), name.text()) != known.end()) return;
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

const CheckedData* DataSets::find(const std::string& id) const {
  for (const CheckedData& data : all_) {
    if (data.id == id) return &data;
  }
  return nullptr;
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
  const bool is_column =
      known.empty() || std::find(known.begin(), known.end(), column) != known.end();
  return is_column ? std::pair{split, column} : std::pair{std::string(), std::string()};
}

std::vector<std::string> DataSets::columns(const CheckedData& data) const {
  if (data.derived) {
    if (!data.derived->records.columns.empty()) return data.derived->records.columns;
    const CheckedData* parent = find(data.derived->from);
    return parent ? columns(*parent) : std::vector<std::string>();
  }
  const DataOptions& options = data.block.source;
  if (!options.fields.empty() || !options.train.empty()) return options.fields;
  const auto folders = manifest_folders();
  const auto names = manifest_names(folders);
  if (std::find(names.begin(), names.end(), options.set) == names.end()) return {};
  return load_manifest(options.set, folders).fields;
}

std::string DataSets::ambiguity() const {
  std::vector<std::string> ids;
  for (const CheckedData& data : all_) ids.push_back(data.id);
  return "the recipe has several data sets; specify one of " + join(ids);
}

}  // namespace lvtext
