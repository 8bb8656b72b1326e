#include "framework/core/base/hash.h"

#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("hash: SHA-256 and CRC-32C match published values", "[base]") {
  CHECK(sha256("abc") ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");  // FIPS 180-2
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(crc32c("123456789", 9) == 0xe3069283u);  // RFC 3720, appendix B.4
}
