#include "framework/core/base/strings.h"

#include "framework/core/base/characters.h"
#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("strings: the nearest name ignores case, dashes and small typos", "[base]") {
  const std::vector<std::string> names = {"latent_dim", "kl_weight", "word_dropout"};
  CHECK(nearest("latent_dims", names) == "latent_dim");
  CHECK(nearest("KL-weight", names) == "kl_weight");
  CHECK(nearest("wrod_dropout", names) == "word_dropout");
  CHECK(nearest("optimizer", names) == std::nullopt);
}

TEST_CASE("strings: the only name with a prefix is nearer than a typo", "[base]") {
  CHECK(nearest("recons", {"records", "reconstructions"}) == "reconstructions");
  CHECK(nearest("word", {"words", "word_dropout"}) == "words");
  CHECK(nearest("word", {"Word", "word_dropout"}) == "Word");
  CHECK(nearest("emb", {"one", "embedding", "embedding_dropout"}) == "embedding");
}

TEST_CASE("strings: short names with another first letter are other words", "[base]") {
  CHECK(nearest("gpu", {"auto", "cpu", "cuda"}) == std::nullopt);
  CHECK(nearest("cup", {"auto", "cpu", "cuda"}) == "cpu");
  CHECK(nearest("six", {"sex"}) == "sex");
}

TEST_CASE("strings: a transposition costs one edit", "[base]") {
  CHECK(edit_distance("lr", "rl") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("strings: numbers, sizes and durations in human-readable form", "[base]") {
  CHECK(format_number(0.1) == "0.1");
  CHECK(format_number(5e-4) == "5e-04");
  CHECK(format_bytes(1536) == "1.5 KiB");
  CHECK(format_seconds(9660) == "2h41m");
  CHECK(format_count(-1234567) == "-1,234,567");
}

TEST_CASE("characters: only A to Z are lowercased, in bytes and in code points", "[base]") {
  CHECK(ascii_lower(std::string("@AZ[ Grüße ÄÉ 09 z")) == "@az[ grüße ÄÉ 09 z");
  CHECK(ascii_lower(U'Q') == U'q');
  CHECK(ascii_lower(U'Ä') == U'Ä');
  CHECK(is_digit('0'));
  CHECK(is_digit(U'9'));
  CHECK_FALSE(is_digit('/'));
  CHECK_FALSE(is_digit(U'\u0664'));  // an Arabic digit
  CHECK(is_utf8_continuation('\x80'));
  CHECK(is_utf8_continuation('\xBF'));
  CHECK_FALSE(is_utf8_continuation('\xC2'));
  CHECK_FALSE(is_utf8_continuation('a'));
}

TEST_CASE("strings: a name is added to a list once", "[base]") {
  std::vector<std::string> names = {"valid"};
  CHECK(contains(names, "valid"));
  CHECK_FALSE(contains(names, "test"));
  for (const char* name : {"test", "valid", "test"}) add_new(names, name);
  CHECK(names == std::vector<std::string>{"valid", "test"});
}
