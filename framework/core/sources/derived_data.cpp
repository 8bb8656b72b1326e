#include "framework/core/sources/derived_data.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/datasets/batches.h"

namespace lvtext {
namespace {

/// Maximum number of values of a column that an error lists.
constexpr size_t kMaxListed = 10;

[[noreturn]] void fail(const std::string& key, const std::string& parent, const std::string& what) {
  throw DataError(key + ": the data set '" + parent + "' " + what);
}

/// The index of a column among the fields.
size_t column_index(const Records& records, const std::string& column, const std::string& key,
                    const std::string& parent) {
  const auto& fields = records.fields;
  const auto found = std::find(fields.begin(), fields.end(), column);
  if (found == fields.end()) {
    fail(key, parent, "has no column '" + column + "'; " + suggestion(column, fields));
  }
  return static_cast<size_t>(found - fields.begin());
}

/// Pairs of column index and required text or label.
using Conditions = std::vector<std::pair<size_t, std::string>>;

Conditions conditions_of(const Records& records, const DerivedDataOptions& options,
                         const std::string& parent) {
  Conditions conditions;
  for (const auto& [column, value] : options.where) {
    const std::string key = "where." + column;
    const size_t index = column_index(records, column, key, parent);
    if (const FieldType* type = records.type_of(column)) {
      fail(key, parent, "has " + type->summary() + " in '" + column + "', not one text or label");
    }
    const auto labels = records.labels.find(column);
    if (labels != records.labels.end()) {
      const auto& known = labels->second;
      if (std::find(known.begin(), known.end(), value) == known.end()) {
        fail(key, parent,
             "has no label '" + value + "' in '" + column + "'; " + suggestion(value, known));
      }
    }
    conditions.emplace_back(index, value);
  }
  return conditions;
}

bool holds(const Conditions& conditions, const Record& record) {
  return std::all_of(conditions.begin(), conditions.end(), [&](const auto& condition) {
    return text_of(record[condition.first]) == condition.second;
  });
}

/// Throws unless each required value occurs in a record of some split.
void check_found(const std::map<std::string, Records>& from, const Conditions& conditions,
                 const std::string& parent) {
  for (const auto& [index, value] : conditions) {
    const auto has_value = [&](const Record& record) { return text_of(record[index]) == value; };
    if (std::any_of(from.begin(), from.end(), [&](const auto& split) {
          return std::any_of(split.second.rows.begin(), split.second.rows.end(), has_value);
        })) {
      continue;
    }
    std::set<std::string> values;
    for (const auto& [split, records] : from) {
      for (const Record& record : records.rows) values.insert(text_of(record[index]));
    }
    const std::string& column = from.begin()->second.fields[index];
    const size_t listed = std::min(values.size(), kMaxListed);
    const std::vector<std::string> first(values.begin(),
                                         std::next(values.begin(), static_cast<int64_t>(listed)));
    fail("where." + column, parent,
         "has no record with '" + value + "' in '" + column + "'; the values are " + join(first) +
             (listed < values.size() ? " and " + format_count(std::ssize(values) - listed) + " more"
                                     : ""));
  }
}

/// The index of the column whose texts become records; nullopt without `flatten`.
std::optional<size_t> flattened_column(const Records& records, const DerivedDataOptions& options,
                                       const std::string& parent) {
  const std::string& column = options.flatten;
  if (column.empty()) return std::nullopt;
  const size_t index = column_index(records, column, "flatten", parent);
  const FieldType* type = records.type_of(column);
  if (!type || !type->ragged) {
    std::vector<std::string> several;
    for (const auto& [field, each] : records.types) {
      if (each.ragged) several.push_back(field);
    }
    fail("flatten", parent,
         "has one value of '" + column + "' in each record; " +
             (several.empty() ? "no column has several texts"
                              : "columns with several texts: " + join(several)));
  }
  return index;
}

/// The indices 0..count-1, in a random order if there is a seed. The order is a function of seed
/// and count alone.
std::vector<size_t> order_of(size_t count, const std::optional<int64_t>& seed) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  if (!seed) return order;
  const auto key = [&](size_t index) {
    return std::pair(mix_bits(static_cast<uint64_t>(*seed), index, 0), index);
  };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  return order;
}

/// Selects the records of a split.
class RecordSelector {
 public:
  RecordSelector(const Records& from, const DerivedDataOptions& options, const std::string& parent)
      : options_(options),
        conditions_(conditions_of(from, options, parent)),
        flattened_(flattened_column(from, options, parent)) {
    const auto& names = options.columns.empty() ? from.fields : options.columns;
    for (const std::string& column : names) {
      columns_.push_back(column_index(from, column, "columns", parent));
    }
  }

  const Conditions& conditions() const { return conditions_; }

  Records select(Records from) const {
    Records selected = description(from);
    for (const size_t i : order_of(from.rows.size(), options_.shuffle)) {
      if (is_full(selected)) break;
      Record& record = from.rows[i];
      if (!holds(conditions_, record)) continue;
      if (!flattened_) {
        add(selected, record, i);
        continue;
      }
      const auto texts = std::get<std::vector<std::string>>(record[*flattened_]);
      for (size_t t = 0; t < texts.size() && !is_full(selected); ++t) {
        record[*flattened_] = texts[t];
        add(selected, record, i);
      }
    }
    return selected;
  }

 private:
  /// The kept fields, without records.
  Records description(const Records& from) const {
    Records selected;
    for (const size_t column : columns_) {
      const std::string& field = from.fields[column];
      selected.fields.push_back(field);
      const FieldType* type = from.type_of(field);
      const auto labels = from.labels.find(field);
      if (labels != from.labels.end()) selected.labels.insert(*labels);
      if (type && field != options_.flatten) selected.types[field] = *type;
    }
    name_only_text(selected);
    return selected;
  }
  /// Renames the only text of selected fields to "text".
  void name_only_text(Records& selected) const {
    if (options_.columns.empty() && selected.fields.size() > 1) return;
    const auto is_text = [&](const std::string& field) { return selected.is_text(field); };
    if (std::count_if(selected.fields.begin(), selected.fields.end(), is_text) != 1) return;
    *std::find_if(selected.fields.begin(), selected.fields.end(), is_text) = "text";
  }
  void add(Records& selected, const Record& record, size_t parent) const {
    Record& row = selected.rows.emplace_back();
    for (const size_t column : columns_) row.push_back(record[column]);
    selected.parents.push_back(static_cast<int64_t>(parent));
  }
  bool is_full(const Records& selected) const {
    return options_.at_most > 0 && std::ssize(selected.rows) >= options_.at_most;
  }

  const DerivedDataOptions& options_;
  Conditions conditions_;
  std::optional<size_t> flattened_;
  std::vector<size_t> columns_;
};

}  // namespace

Records join_records(std::vector<Records> parts) {
  LVT_ASSERT(!parts.empty(), "join_records() needs records");
  Records joined = std::move(parts.front());
  joined.parents.clear();
  for (size_t i = 1; i < parts.size(); ++i) {
    LVT_ASSERT(parts[i].fields == joined.fields && parts[i].labels == joined.labels &&
                   parts[i].types == joined.types,
               "joined records must have the same fields");
    std::move(parts[i].rows.begin(), parts[i].rows.end(), std::back_inserter(joined.rows));
  }
  return joined;
}

std::map<std::string, Records> derive_records(std::map<std::string, Records> from,
                                              const DerivedDataOptions& options,
                                              const std::string& parent) {
  LVT_ASSERT(!from.empty(), "derived data need a split");
  for (const auto& [split, records] : from) {
    LVT_ASSERT(records.fields == from.begin()->second.fields,
               "the splits of a data set must have the same fields");
  }
  const RecordSelector selector(from.begin()->second, options, parent);
  check_found(from, selector.conditions(), parent);
  std::map<std::string, Records> derived;
  for (auto& [split, records] : from) derived[split] = selector.select(std::move(records));
  return derived;
}

Records describe_derived(Records from, const DerivedDataOptions& options,
                         const std::string& parent) {
  from.rows.clear();
  return RecordSelector(from, options, parent).select(from);
}

}  // namespace lvtext
