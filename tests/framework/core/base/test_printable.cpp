#include "framework/core/base/printable.h"

#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("printable: control characters are escaped, text and line ends are kept", "[base]") {
  CHECK(printable("a\x1b[31mb\x07\x7f") == "a\\x1b[31mb\\x07\\x7f");
  CHECK(printable("one\ntwo\tthree") == "one\ntwo\tthree");
  CHECK(printable("over\rwritten") == "over\\x0dwritten");
  CHECK(printable("Fr\xC3\xA9"
                  "chet \xE2\x86\x92 \xC2\xA0") ==
        "Fr\xC3\xA9"
        "chet \xE2\x86\x92 \xC2\xA0");
  CHECK(printable("a\xC2\x9B"
                  "31m") == "a\\u009b31m");
  CHECK(printable_line("one\ntwo\tthree\r\x1b") == "one\\ntwo\\tthree\\r\\x1b");
  CHECK(printable(std::string("a\0b", 3)) == "a\\x00b");
}
