// Treebank words compared with NLTK: treebank.tsv contains sentences and their words by
// NLTKWordTokenizer of NLTK 3.9.
#include "framework/core/text/treebank.h"

#include "framework/core/base/strings.h"
#include "framework/core/text/lines.h"
#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("treebank: the words equal those of NLTK", "[text]") {
  const auto lines = read_lines("tests/framework/core/text/treebank.tsv");
  REQUIRE(lines.size() >= 40);
  for (const auto& line : lines) {
    const auto halves = split(line, '\t');
    REQUIRE(halves.size() == 2);
    INFO(halves[0]);
    CHECK(join(treebank_words(halves[0]), " ") == halves[1]);
  }
}

TEST_CASE("treebank: contractions, quotes and periods", "[text]") {
  using Words = std::vector<std::string>;
  CHECK(treebank_words("I can't.") == Words{"I", "ca", "n't", "."});
  CHECK(treebank_words("\"Mr. Smith's\"") == Words{"``", "Mr.", "Smith", "'s", "''"});
  CHECK(treebank_words("").empty());
  CHECK(treebank_words("  \t ").empty());
  CHECK(treebank_words("\xff broken").size() == 2);  // bytes that are not UTF-8 are accepted
}
