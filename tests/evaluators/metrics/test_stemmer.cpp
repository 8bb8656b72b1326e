// Stems computed by the Snowball stemmer of METEOR 1.5.
#include "evaluators/metrics/stemmer.h"

#include <utility>
#include <vector>

#include "tests/catch.h"

using namespace lvtext;

namespace {

void check(const std::vector<std::pair<const char*, const char*>>& stems) {
  EnglishStemmer stemmer;
  for (const auto& [word, stem] : stems) {
    INFO(word);
    CHECK(stemmer.stem(word) == stem);
  }
}

}  // namespace

TEST_CASE("stemmer: plurals, verb forms and a final y", "[text_metrics]") {
  check({{"dogs", "dog"},
         {"caresses", "caress"},
         {"ties", "tie"},
         {"cries", "cri"},
         {"gas", "gas"},
         {"this", "this"},
         {"gaps", "gap"},
         {"kiwis", "kiwi"},
         {"focus", "focus"},
         {"glass", "glass"},
         {"agreed", "agre"},
         {"feed", "feed"},
         {"walked", "walk"},
         {"hopping", "hop"},
         {"hoping", "hope"},
         {"falling", "fall"},
         {"filing", "file"},
         {"sing", "sing"},
         {"bed", "bed"},
         {"sized", "size"},
         {"luxuriated", "luxuri"},
         {"hurriedly", "hurri"},
         {"amazingly", "amaz"},
         {"happy", "happi"},
         {"by", "by"},
         {"say", "say"},
         {"cry", "cri"},
         {"boyish", "boyish"},
         {"youth", "youth"},
         {"yelled", "yell"},
         {"disgusting", "disgust"},
         {"restaurants", "restaur"}});
}

TEST_CASE("stemmer: derivational suffixes, in the regions R1 and R2", "[text_metrics]") {
  check({{"conditional", "condit"},
         {"dependency", "depend"},
         {"hesitancy", "hesit"},
         {"reasonably", "reason"},
         {"differently", "differ"},
         {"organization", "organ"},
         {"operator", "oper"},
         {"formalism", "formal"},
         {"formality", "formal"},
         {"fully", "fulli"},
         {"helpfulness", "help"},
         {"curiousness", "curious"},
         {"sensibility", "sensibl"},
         {"analogy", "analog"},
         {"carelessly", "careless"},
         {"bossily", "bossili"},
         {"happily", "happili"},
         {"extremely", "extrem"},
         {"rational", "ration"},
         {"triplicate", "triplic"},
         {"electricity", "electr"},
         {"electrical", "electr"},
         {"goodness", "good"},
         {"formative", "format"},
         {"native", "nativ"},
         {"revival", "reviv"},
         {"allowance", "allow"},
         {"inference", "infer"},
         {"airliner", "airlin"},
         {"gyroscopic", "gyroscop"},
         {"adjustable", "adjust"},
         {"defensible", "defens"},
         {"irritant", "irrit"},
         {"replacement", "replac"},
         {"adjustment", "adjust"},
         {"dependent", "depend"},
         {"adoption", "adopt"},
         {"communion", "communion"},
         {"homologous", "homolog"},
         {"effective", "effect"},
         {"bowdlerize", "bowdler"},
         {"rate", "rate"},
         {"cease", "ceas"},
         {"controll", "control"},
         {"roll", "roll"},
         {"gesture", "gestur"},
         {"unprofessional", "unprofession"}});
}

TEST_CASE("stemmer: exceptions, apostrophes, short words and other characters", "[text_metrics]") {
  check({{"generously", "generous"},
         {"generation", "generat"},
         {"communism", "communism"},
         {"arsenal", "arsenal"},
         {"arsenic", "arsenic"},
         {"skis", "ski"},
         {"skies", "sky"},
         {"dying", "die"},
         {"early", "earli"},
         {"news", "news"},
         {"inning", "inning"},
         {"proceedings", "proceed"},
         {"exceeded", "exceed"},
         {"succeeding", "succeed"},
         {"owner's", "owner"},
         {"it's", "it"},
         {"'tis", "tis"},
         {"n't", "n't"},
         {"'s", "'s"},
         {"'", "'"},
         {"", ""},
         {"ion", "ion"},
         {"eed", "eed"},
         {"ate", "ate"},
         {"café's", "café"},
         {"straße", "straße"},
         {"øy", "øy"},
         {"_num_", "_num_"}});
}
