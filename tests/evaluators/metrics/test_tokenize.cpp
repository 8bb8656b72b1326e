#include <random>
#include <string>
#include <utility>
#include <vector>

#include "evaluators/metrics/tokenize.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("tokenize: 13a equals sacreBLEU 2.6.0", "[text_metrics]") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"Hello, world.", "Hello , world ."},
      {"It's 3.5 percent, or 1,000.", "It's 3.5 percent , or 1,000 ."},
      {"in 2017-18 the co-op", "in 2017 - 18 the co-op"},
      {"a.b,c", "a . b , c"},
      {"1.a a.1 .5 5.", "1 . a a . 1 . 5 5 ."},
      {"... ,,,", ". . . , , ,"},
      {"&quot;Tom &amp; Jerry&quot;", "\" Tom & Jerry \""},
      {"&amp;lt;b&gt;", "< b >"},
      {"<unk> and <unk>.", "< unk > and < unk > ."},
      {"<skipped>gone", "gone"},
      {"U.S. shares", "U . S . shares"},
      {"$5.00 (five)", "$ 5.00 ( five )"},
      {"e-mail user@host.com", "e-mail user @ host . com"},
      {"http://x.org/a_b?c=d", "http : / / x . org / a _ b ? c = d"},
      {"'quoted' ''double''", "'quoted' ''double''"},
      {"[a]{b}~c`d^e|f\\g", "[ a ] { b } ~ c ` d ^ e | f \\ g"},
      {"100% + 5*3 = 115!", "100 % + 5 * 3 = 115 !"},
      {"-5 5-5 a-5", "-5 5 - 5 a-5"},
      {"caf\303\251, na\303\257ve.", "caf\303\251 , na\303\257ve ."},
      {"\342\200\234quoted\342\200\235\342\200\246", "\342\200\234quoted\342\200\235\342\200\246"},
      {"a\302\240b\343\200\200c", "a b c"},
      {"a-\nb", "ab"},
      {"a\nb", "a b"},
      {"end-\n", "end-"},
      {"", ""},
      {"   ", ""},
      {"##.## and 9,.9", "# # . # # and 9 , . 9"},
      {"1.,2", "1 . , 2"}};
  for (const auto& [text, expected] : cases) {
    INFO(text);
    CHECK(join(tokenize_13a(text), " ") == expected);
  }
}

TEST_CASE("tokenize: Unicode white space separates, other bytes are unchanged", "[text_metrics]") {
  using Words = std::vector<std::string>;
  CHECK(tokenize_whitespace(" a\tb\n") == Words{"a", "b"});
  CHECK(tokenize_whitespace("a\302\240b \343\200\200 c") == Words{"a", "b", "c"});
  CHECK(tokenize_whitespace("\342\200") == Words{"\342\200"});
  CHECK(tokenize_whitespace("  ").empty());
}

TEST_CASE("tokenize: words in lower case and single characters", "[text_metrics]") {
  using Words = std::vector<std::string>;
  CHECK(tokenize_words("It's 3.5%, \u00C9T\u00C9_2 \u2014ok\u3000x") ==
        Words{"it", "'", "s", "3", ".", "5", "%", ",", "\u00e9t\u00e9_2", "\u2014", "ok", "x"});
  CHECK(tokenize_words(" ").empty());
  CHECK(tokenize_characters("a \u00C9\n") == Words{"a", " ", "\u00C9", "\n"});
}

TEST_CASE("tokenize: tokenizations by name, and interning", "[text_metrics]") {
  CHECK(tokenize_for_metric("a.", "13a").size() == 2);
  CHECK(tokenize_for_metric("a.", "whitespace").size() == 1);
  CHECK(tokenize_for_metric("it isn't.", "treebank").size() == 4);
  CHECK_THROWS_AS(tokenize_for_metric("a.", "13b"), ConfigError);
  TokenInterner interner;
  CHECK(interner.ids({"x", "y", "x"}) == TokenIds{0, 1, 0});
  CHECK(interner.size() == 2);
}

TEST_CASE("tokenize: interning a text equals interning its tokens", "[text_metrics]") {
  const std::vector<std::string> parts = {"a",
                                          "seven77",
                                          "eight888",
                                          "longerthan",
                                          "neun99999",
                                          " ",
                                          "  ",
                                          "\t",
                                          "\n",
                                          "\u00a0",
                                          "caf\u00e9",
                                          "\u3000",
                                          "\u4f60\u597d",
                                          "\x7f",
                                          std::string(1, '\0'),
                                          "~",
                                          "!",
                                          "\xff",
                                          "internationalisation",
                                          "internationalization"};
  std::mt19937 random(3);
  TokenInterner fast, plain;
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    const auto count = random() % 12;
    for (uint32_t j = 0; j < count; ++j) {
      text += parts[random() % parts.size()];
      if (random() % 2) text += ' ';
    }
    if (i % 3 == 0) text += " word" + std::to_string(i);  // enough words to grow the table
    CHECK(fast.ids(text, "whitespace") == plain.ids(tokenize_whitespace(text)));
    CHECK(fast.ids(text, "13a") == plain.ids(tokenize_13a(text)));
  }
  CHECK(fast.size() == plain.size());
  CHECK(fast.size() > 1000);
  CHECK(fast.id("word0") == plain.id("word0"));
  CHECK(fast.id("") != fast.id(std::string(1, '\0')));
}
