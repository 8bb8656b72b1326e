#include "framework/core/text/lines.h"
#include "framework/core/base/strings.h"
#include "framework/core/data/record_reader.h"

namespace lvtext {
namespace {

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
    return for_each_line(file, [&](std::string& line) { each({std::move(line)}); }).lines;
  }
};

}  // namespace

void add_lines(Choices<RecordReader>& readers) {
  add_component<LinesReader>(readers, "lines", "one text per line");
}

}  // namespace lvtext
