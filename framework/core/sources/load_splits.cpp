#include "framework/core/sources/load_splits.h"

#include <algorithm>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/sources/data_source.h"
#include "framework/core/sources/read_source.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

std::vector<DataMistake> data_mistakes(const DataOptions& options,
                                       const std::vector<fs::path>& folders) {
  return checked_source(options, folders)->mistakes;
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
    const auto known = manifest_names(folders);
    if (options.is_named() && std::ranges::count(known, options.set) == 0) return names;
    const Manifest set = set_of(options, folders);
    names = splits_of(set);
    shares = added_shares(options, set);
  }
  const auto add = [&](const std::string& name) {
    if (std::ranges::count(names, name) == 0) names.push_back(name);
  };
  for (const auto& [split, share] : shares) add(split);
  for (const auto& [split, file] : options.extra) add(split);
  return names;
}

Splits load_splits(const DataOptions& options, const DataLocations& locations,
                   const std::vector<fs::path>& folders) {
  const auto source = data_source(options, folders);
  std::map<std::string, Records> read = read_files(*source, locations);
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

}  // namespace lvtext
