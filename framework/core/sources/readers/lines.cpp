#include "framework/core/text/lines.h"

#include <algorithm>
#include <optional>

#include "framework/core/base/strings.h"
#include "framework/core/base/white_space.h"
#include "framework/core/sources/record_reader.h"

namespace lvtext {
namespace {

/// Number of columns separated by tabs that all lines with text have; 1 if they differ.
class CommonColumns {
 public:
  void add(const std::string& line) {
    if (is_blank(line)) return;
    const auto columns = std::count(line.begin(), line.end(), '\t') + 1;
    count_ = count_.value_or(columns) == columns ? columns : 1;
  }
  int64_t count() const { return count_.value_or(1); }

 private:
  std::optional<int64_t> count_;
};

void refuse_table(const std::filesystem::path& file, int64_t columns) {
  if (columns == 1) return;
  std::vector<std::string> names = {"text"};
  for (int64_t i = 1; i < columns; ++i) names.emplace_back("-");
  throw DataError("'" + file.string() + "': each line has " + format_count(columns) +
                  " columns separated by tabs, but the reader 'lines' reads one text per line; use "
                  "data.reader={type: columns, columns: [" +
                  join(names) + "]}, with '-' for each column that is ignored");
}

/// Reads one record per line, with one field.
struct LinesReader : RecordReader {
  template <class V>
  void visit(V&) {}

  int64_t read(const std::filesystem::path& file, const std::vector<std::string>& fields,
               const std::function<void(Record)>& each) const override {
    if (fields.size() != 1) {
      throw ConfigError("'" + file.string() + "': the reader 'lines' reads one field, not " +
                        join(fields) + "; use 'columns' or 'json_lines' for several");
    }
    CommonColumns columns;
    const LineCounts counts = for_each_line(file, [&](std::string& line) {
      columns.add(line);
      each({std::move(line)});
    });
    refuse_table(file, columns.count());
    return counts.lines;
  }
};

}  // namespace

void add_lines(Choices<RecordReader>& readers) {
  add_component<LinesReader>(readers, "lines", "one text per line");
}

}  // namespace lvtext
