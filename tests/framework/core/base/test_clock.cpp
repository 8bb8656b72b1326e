#include "framework/core/base/clock.h"

#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("clock: a date is read back as it was written", "[base]") {
  CHECK(utc_time(1'000'000) == "1970-01-01T00:16:40.000Z");
  CHECK(utc_time(-1) == "1969-12-31T23:59:59.999Z");
  for (const int64_t time : {int64_t{0}, int64_t{-1}, int64_t{1'795'000'000'250}}) {
    CHECK(parse_utc_time(utc_time(time)) == time);
  }
  CHECK(parse_utc_time("2026-11-23T13:05:00Z") == 1'795'439'100'000);
  CHECK(current_time() > 1'795'000'000'000 - int64_t{1000} * 86'400 * 1000);
}

TEST_CASE("clock: text that is no date is rejected", "[base]") {
  for (const char* text : {"", "Z", "2026-11-23", "2026-11-23T13:05:00", "2026-02-30T00:00:00Z",
                           "2026-11-23T13:05:00.5Z", "2026-11-23T13:05:00.25xZ", "x"}) {
    CHECK_FALSE(parse_utc_time(text));
  }
  CHECK(local_time(parse_local_date("2026-11-23").value()) == "2026-11-23 00:00");
  for (const char* text : {"", "2026-13-01", "2026-02-30", "2026-11-23 ", "26-11-23"}) {
    CHECK_FALSE(parse_local_date(text));
  }
}
