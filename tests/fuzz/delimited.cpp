// CSV and TSV files of spreadsheets and forms; written fields are read back.
#include "framework/pipeline/rating/delimited.h"

#include "framework/core/base/utf8.h"
#include "framework/pipeline/report/escape.h"
#include "tests/fuzz/fuzz.h"

namespace lvtext::fuzz {
namespace {

/// One header column, so that the input's separators do not determine the format, and one row.
void read_back(const std::string& field) {
  const auto file = write_file("written.csv", "a,b,c,d,e,f\n1," + escape_csv(field) + ",3\n");
  DelimitedTable table;
  require(accepted([&] { table = read_delimited(file); }), "a written field is UTF-8");
  require(table.rows.size() == 1 && table.rows[0].fields.size() == 3, "one row is read back");
  require(unescape_formula(table.rows[0].fields[1]) == replace_invalid_utf8(field),
          "a field is read back");
}

}  // namespace
}  // namespace lvtext::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lvtext;
  const std::string_view text = fuzz::text_of(data, size);
  const auto file = fuzz::write_file("table.csv", text);
  fuzz::accepted([&] {
    const DelimitedTable table = read_delimited(file);
    int64_t line = table.header_line;
    for (const DelimitedRow& row : table.rows) {
      fuzz::require(row.line > line, "line numbers of rows increase");
      line = row.line;
    }
  });
  fuzz::read_back(std::string(text));
  return 0;
}
