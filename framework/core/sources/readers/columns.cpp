#include <algorithm>
#include <map>
#include <optional>

#include "framework/core/base/counts.h"
#include "framework/core/base/strings.h"
#include "framework/core/sources/record_reader.h"
#include "framework/core/text/lines.h"

namespace lvtext {
namespace {

constexpr const char* kNotRead = "-";

enum class Separator { kTab, kBlank };

const std::vector<EnumName<Separator>>& enum_names(Separator) {
  static const std::vector<EnumName<Separator>> names = {
      {"tab", Separator::kTab, "every tab"},
      {"blank", Separator::kBlank, "the first blanks; the last column is the rest of the line"}};
  return names;
}

/// Reads one record per line, with columns separated by tabs or by the first blanks.
struct ColumnsReader : RecordReader {
  std::vector<std::string> columns;
  bool header = false;
  // Unset: not part of identities.
  std::optional<Separator> separator;
  std::optional<std::map<std::string, std::string>> until;
  std::optional<std::map<std::string, std::string>> where;  // unset: not part of identities

  template <class V>
  void visit(V& v) {
    v.field("columns", columns, "field name of each column; -: the column is ignored", required(),
            not_empty());
    v.field("header", header, "whether the first line is a header and not a record");
    v.field(
        "where", where,
        "keeps only lines whose columns have these values: {duplicate: \"1\"} (unset: all lines)");
    v.field("separator", separator, "what separates columns (unset: tab)");
    v.field(
        "until", until,
        "cuts the values of columns before the first occurrence of a text: {label: \":\"} makes "
        "DESC of DESC:manner (unset: whole values)");
    for (const auto& [column, end] : ends()) {
      v.check(std::find(columns.begin(), columns.end(), column) != columns.end() && !end.empty(),
              "until: '" + column + "' must be one of the columns " + join(columns) +
                  ", with a text that is not empty");
    }
    for (const auto& [column, value] : requested()) {
      v.check(std::find(columns.begin(), columns.end(), column) != columns.end(),
              "where: '" + column + "' is not one of the columns " + join(columns));
    }
  }

  std::vector<std::string> fields() const override {
    std::vector<std::string> named = columns;
    std::erase(named, kNotRead);
    return named;
  }

  int64_t read(const std::filesystem::path& file, const std::vector<std::string>& fields,
               const std::function<void(Record)>& each) const override {
    std::vector<size_t> from;
    for (const auto& field : fields) from.push_back(index_of(field));
    std::vector<std::pair<size_t, std::string>> conditions;
    for (const auto& [column, value] : requested())
      conditions.emplace_back(index_of(column), value);
    int64_t number = 0;
    return for_each_line(file,
                         [&](const std::string& line) {
                           if (++number == 1 && header) return;
                           std::vector<std::string> values = divided(line);
                           check_count(file, number, values.size());
                           for (const auto& [column, end] : ends()) {
                             std::string& value = values[index_of(column)];
                             value.resize(std::min(value.find(end), value.size()));
                           }
                           for (const auto& [column, value] : conditions) {
                             if (values[column] != value) return;
                           }
                           Record record;
                           for (const size_t column : from) record.push_back(values[column]);
                           each(std::move(record));
                         })
        .lines;
  }

 private:
  std::map<std::string, std::string> requested() const {
    return where.value_or(std::map<std::string, std::string>());
  }
  std::map<std::string, std::string> ends() const {
    return until.value_or(std::map<std::string, std::string>());
  }
  std::vector<std::string> divided(const std::string& line) const {
    if (separator.value_or(Separator::kTab) == Separator::kTab) return split(line, '\t');
    std::vector<std::string> values;
    size_t from = 0;
    while (values.size() + 1 < columns.size()) {
      const size_t blank = line.find(' ', from);
      if (blank == std::string::npos) break;
      values.push_back(line.substr(from, blank - from));
      from = blank + 1;
    }
    values.push_back(line.substr(from));
    return values;
  }
  size_t index_of(const std::string& column) const {
    return static_cast<size_t>(std::find(columns.begin(), columns.end(), column) - columns.begin());
  }
  void check_count(const std::filesystem::path& file, int64_t line, size_t found) const {
    if (found == columns.size()) return;
    throw DataError("'" + file.string() + "', line " + format_count(line) + " has " +
                    format_count(found, "column") + " separated by " +
                    (separator.value_or(Separator::kTab) == Separator::kTab ? "tabs" : "blanks") +
                    "; the reader expects " + format_count(columns.size()) + " (" + join(columns) +
                    ")");
  }
};

}  // namespace

void add_columns(Choices<RecordReader>& readers) {
  add_component<ColumnsReader>(readers, "columns", "lines of columns that tabs or blanks separate");
}

}  // namespace lvtext
