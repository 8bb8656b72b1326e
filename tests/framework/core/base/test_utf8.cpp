#include "framework/core/base/utf8.h"

#include <string>

#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("utf8: every class of ill-formed UTF-8 is detected with its position and description",
          "[base]") {
  const auto problem = [](const std::string& bytes) { return find_invalid_utf8("ab" + bytes); };
  const auto expect = [&](const std::string& bytes, const std::string& what, size_t length) {
    CAPTURE(bytes, what);
    REQUIRE(problem(bytes));
    CHECK(problem(bytes)->at == 2);
    CHECK(problem(bytes)->length == length);
    CHECK(problem(bytes)->what == what);
  };
  expect("\xC0\x80", "overlong form", 1);
  expect("\xC1\xBF", "overlong form", 1);
  expect("\xE0\x9F\xBF", "overlong form", 1);
  expect("\xF0\x8F\xBF\xBF", "overlong form", 1);
  expect("\xED\xA0\x80", "surrogate", 1);
  expect("\xED\xBF\xBF", "surrogate", 1);
  expect("\xF4\x90\x80\x80", "above U+10FFFF", 1);
  expect("\xF5\x80\x80\x80", "above U+10FFFF", 1);
  expect("\xFF", "above U+10FFFF", 1);
  expect("\x80", "continuation byte without a start", 1);
  expect("\xC3", "truncated sequence", 1);
  expect("\xE2\x82", "truncated sequence", 2);
  expect("\xF0\x9F\x98", "truncated sequence", 3);
  expect("\xE2\x82z", "truncated sequence", 2);
  expect(std::string(1, '\0'), "NUL byte", 1);
  // The limits of valid sequences.
  CHECK_FALSE(
      problem("\xC2\x80 \xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80 \xF0\x90\x80\x80 "
              "\xF4\x8F\xBF\xBF \xE2\x80\xAE"));
}

TEST_CASE("utf8: each maximal ill-formed subsequence is replaced by U+FFFD", "[base]") {
  CHECK(replace_invalid_utf8("a\xE2\x82z\xED\xA0\x80") ==
        "a\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(utf8_prefix("a\xE2\x82\xAC", 2) == 1);
  CHECK(utf8_prefix("a\xE2\x82\xAC", 4) == 4);
}
