#include <algorithm>

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

  template <class V>
  void visit(V& v) {
    v.field("columns", columns, "field name of each column; -: the column is ignored", required(),
            not_empty());
    v.field("header", header, "whether the first line is a header and not a record");
  }

  std::vector<std::string> fields() const override {
    std::vector<std::string> named = columns;
    std::erase(named, kNotRead);
    return named;
  }

  int64_t read(const std::filesystem::path& file, const std::vector<std::string>& fields,
               const std::function<void(Record)>& each) const override {
    std::vector<size_t> from;
    for (const auto& field : fields) {
      from.push_back(
          static_cast<size_t>(std::find(columns.begin(), columns.end(), field) - columns.begin()));
    }
    int64_t number = 0;
    return for_each_line(file,
                         [&](const std::string& line) {
                           if (++number == 1 && header) return;
                           const auto values = split(line, '\t');
                           check_count(file, number, values.size());
                           Record record;
                           for (const size_t column : from) record.push_back(values[column]);
                           each(std::move(record));
                         })
        .lines;
  }

 private:
  void check_count(const std::filesystem::path& file, int64_t line, size_t found) const {
    if (found == columns.size()) return;
    throw DataError("'" + file.string() + "', line " + format_count(line) + " has " +
                    format_count(found) + " columns separated by tabs; the reader expects " +
                    format_count(columns.size()) + " (" + join(columns) + ")");
  }
};

}  // namespace

void add_columns(Choices<RecordReader>& readers) {
  add_component<ColumnsReader>(readers, "columns", "lines of tab-separated columns");
}

}  // namespace lvtext
