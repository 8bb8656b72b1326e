#include "framework/core/base/white_space.h"

#include "framework/core/base/counts.h"
#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("white space: Unicode's property White_Space", "[base]") {
  for (const char* space : {" ", "\t", "\n", "\v", "\f", "\r", "\u0085", "\u00A0", "\u1680",
                            "\u2000", "\u200A", "\u2028", "\u2029", "\u202F", "\u205F", "\u3000"}) {
    CHECK(white_space_length(std::string(space) + "a") == std::string_view(space).size());
  }
  for (const char* other :
       {"", "a", "\x1C", "\u00C2", "\u200B", "\uFEFF", "\u2030", "\xC2", "\xE2\x80"}) {
    CHECK(white_space_length(other) == 0);
  }
}

TEST_CASE("white space: blank texts have no character with a width", "[base]") {
  CHECK(is_blank(""));
  CHECK(is_blank(" \t\u00A0\u3000\u200B\uFEFF\u2060\u200E"));
  CHECK_FALSE(is_blank("\u200Ba"));
  CHECK_FALSE(is_blank("\u3002"));
}

TEST_CASE("white space: words and collapsed runs", "[base]") {
  using Words = std::vector<std::string_view>;
  CHECK(split_white_space("\u3000a\u00A0\u2003 b\u200Bc\tcaf\u00E9\u2028") ==
        Words{"a", "b\u200Bc", "caf\u00E9"});
  CHECK(split_white_space(" \u00A0").empty());
  CHECK(collapse_white_space("  a\u00A0 \tb\u3000") == "a b");
  CHECK(collapse_white_space("\u200B") == "\u200B");
  CHECK(collapse_white_space("").empty());
}

TEST_CASE("counts: with their noun", "[base]") {
  CHECK(format_count(1, "line") == "1 line");
  CHECK(format_count(0, "line") == "0 lines");
  CHECK(format_count(12345, "line") == "12,345 lines");
}
