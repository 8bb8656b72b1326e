// Reports of Open-i: parsed, or rejected with an error.
#include "framework/core/sources/openi_reports.h"
#include "tests/fuzz/fuzz.h"

using namespace lvtext;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  OpeniReport report;
  if (fuzz::accepted([&] { report = parse_openi_report(text, "'x'"); })) {
    fuzz::require(report.number > 0, "a report has a number");
  }
  fuzz::accepted([&] { read_openi_reports(fuzz::write_file("r.tar", text)); });
  return 0;
}
