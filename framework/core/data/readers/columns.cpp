#include <algorithm>
#include <map>
#include <optional>

#include "framework/core/base/counts.h"
#include "framework/core/base/strings.h"
#include "framework/core/data/record_reader.h"
#include "framework/core/text/lines.h"

namespace lvtext {
namespace {

constexpr const char* kNotRead = "-";

/// Reads one record per line, with tab-separated columns.
struct ColumnsReader : RecordReader {
  std::vector<std::string> columns;
  bool header = false;
  std::optional<std::map<std::string, std::string>> where;  // unset: not part of identities

  template <class V>
  void visit(V& v) {
    v.field("columns", columns, "field name of each column; -: the column is ignored", required(),
            not_empty());
    v.field("header", header, "whether the first line is a header and not a record");
    v.field(
        "where", where,
        "keeps only lines whose columns have these values: {duplicate: \"1\"} (unset: all lines)");
    for (const auto& [column, value] : wanted()) {
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
    for (const auto& [column, value] : wanted()) conditions.emplace_back(index_of(column), value);
    int64_t number = 0;
    return for_each_line(file,
                         [&](const std::string& line) {
                           if (++number == 1 && header) return;
                           const auto values = split(line, '\t');
                           check_count(file, number, values.size());
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
  std::map<std::string, std::string> wanted() const {
    return where.value_or(std::map<std::string, std::string>());
  }
  size_t index_of(const std::string& column) const {
    return static_cast<size_t>(std::find(columns.begin(), columns.end(), column) - columns.begin());
  }
  void check_count(const std::filesystem::path& file, int64_t line, size_t found) const {
    if (found == columns.size()) return;
    throw DataError("'" + file.string() + "', line " + format_count(line) + " has " +
                    format_count(found, "column") + " separated by tabs; the reader expects " +
                    format_count(columns.size()) + " (" + join(columns) + ")");
  }
};

}  // namespace

void add_columns(Choices<RecordReader>& readers) {
  add_component<ColumnsReader>(readers, "columns", "lines of tab-separated columns");
}

}  // namespace lvtext
