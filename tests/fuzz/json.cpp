// JSON parsed by lvtext's own code: files of consecutive objects, JSON lines of records, option
// trees.
#include "framework/core/base/json.h"

#include "framework/core/datasets/records.h"
#include "framework/core/options/json.h"
#include "framework/core/sources/json_records.h"
#include "tests/fuzz/fuzz.h"

namespace lvtext::fuzz {
namespace {

Records fields_only() {
  Records records;
  records.fields = {"text", "label", "texts", "number", "vector"};
  records.labels = {{"label", {"no", "yes"}}};
  records.types["texts"] = {ColumnKind::kText, {}, true};
  records.types["number"] = {ColumnKind::kNumber, {}, false};
  records.types["vector"] = {ColumnKind::kVector, {2}, false};
  return records;
}

}  // namespace
}  // namespace lvtext::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lvtext;
  const std::string text(fuzz::text_of(data, size));
  const auto value = parse_json(text);
  if (!value.is_discarded()) {
    fuzz::accepted([&] {
      // Compare after one round trip, which normalizes the spelling of numbers.
      const auto written = to_json(node_of_json(value, "x"));
      fuzz::require(to_json(node_of_json(written, "x")) == written, "a tree as JSON is read back");
    });
  }
  const auto file = fuzz::write_file("objects.json", text);
  fuzz::accepted([&] {
    JsonRecords records(file);
    JsonRecord record;
    while (records.next(record)) fuzz::require(record.value.is_object(), "a record is an object");
  });
  Records records;
  if (fuzz::accepted([&] { records = parse_json_lines(text, fuzz::fields_only()); })) {
    const auto again = parse_json_lines(to_json_lines(records), fuzz::fields_only());
    fuzz::require(again.rows == records.rows, "written records are read back");
  }
  return 0;
}
