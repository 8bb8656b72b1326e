#include "evaluators/metrics/wordnet.h"

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

/// A small WordNet. The adjective "round" and the noun "mouse" share an offset.
void write_wordnet(const std::filesystem::path& folder) {
  write_file_synced(folder / "index.noun",
                    "  1 the license  \n"
                    "dog n 2 3 @ ~ #m 2 1 00000100 00000200  \n"
                    "hound n 1 1 @ 1 0 00000200  \n"
                    "mouse n 1 0 1 0 00000300  \n");
  write_file_synced(folder / "index.verb",
                    "dog v 1 1 @ 1 0 00000400  \n"
                    "chase v 1 1 @ 1 0 00000400  \n");
  write_file_synced(folder / "index.adj", "round a 1 0 1 0 00000300  \n");
  write_file_synced(folder / "index.adv", "far r 1 0 1 0 00000500  \n");
  write_file_synced(folder / "noun.exc", "mice mouse\n");
  write_file_synced(folder / "verb.exc", "");
  write_file_synced(folder / "adj.exc", "further far farther\n");
  write_file_synced(folder / "adv.exc", "further far\n");
}

/// The same synsets in the files of METEOR.
void write_meteor_synonyms(const std::filesystem::path& folder) {
  write_file_synced(folder / "english.synsets",
                    "dog\n00000100 00000200 00000400\nhound\n00000200\nmouse\n00000300\n"
                    "chase\n00000400\nround\n00000300\nfar\n00000500\n");
  write_file_synced(folder / "english.exceptions", "mouse\nmice\nfar\nfurther\n");
}

/// A folder of METEOR's form with these words, all with the same synset.
WordNet words(const std::filesystem::path& folder, const std::vector<std::string>& all) {
  std::string text;
  for (const auto& word : all) text += word + "\n1\n";
  write_file_synced(folder / "english.synsets", text);
  write_file_synced(folder / "english.exceptions", "");
  return WordNet::load(folder);
}

}  // namespace

TEST_CASE("wordnet: synsets of words, of all parts of speech", "[text_metrics]") {
  const TemporaryFolder folder;
  write_wordnet(folder.path);
  const WordNet wordnet = WordNet::load(folder.path);
  CHECK(wordnet.size() == 6);
  CHECK(wordnet.synsets("dog") == SynsetIds{100, 200, 400});
  CHECK(wordnet.synsets("dogs") == SynsetIds{100, 200, 400});
  CHECK(wordnet.synsets("mice") == SynsetIds{300});
  CHECK(wordnet.synsets("further") == SynsetIds{500});
  CHECK(wordnet.synsets("cat").empty());
  CHECK(wordnet.synsets("").empty());
  CHECK(have_common_synset(wordnet.synsets("dogs"), wordnet.synsets("hound")));
  CHECK(have_common_synset(wordnet.synsets("dog"), wordnet.synsets("chasing")));
  CHECK_FALSE(have_common_synset(wordnet.synsets("hound"), wordnet.synsets("chase")));
  // As in METEOR, an id does not contain the part of speech.
  CHECK(have_common_synset(wordnet.synsets("mouse"), wordnet.synsets("round")));
}

TEST_CASE("wordnet: the files of METEOR give the same synsets", "[text_metrics]") {
  const TemporaryFolder wordnet_folder, meteor_folder;
  write_wordnet(wordnet_folder.path);
  write_meteor_synonyms(meteor_folder.path);
  const WordNet a = WordNet::load(wordnet_folder.path);
  const WordNet b = WordNet::load(meteor_folder.path);
  CHECK(a.size() == b.size());
  for (const char* word : {"dog", "dogs", "hound", "mouse", "mice", "chasing", "further", "cat"}) {
    INFO(word);
    CHECK(a.synsets(word) == b.synsets(word));
  }
  CHECK(a.sha256() != b.sha256());
  CHECK(b.sha256() == sha256(read_file(meteor_folder / "english.synsets") +
                             read_file(meteor_folder / "english.exceptions")));
}

TEST_CASE("wordnet: suffix rules in METEOR's order", "[text_metrics]") {
  const TemporaryFolder folder;
  const WordNet all = words(folder.path, {"bus", "box", "buzz", "church", "dish", "man", "fly",
                                          "like", "walk", "nice", "old", "bake", "a"});
  for (const char* word :
       {"buses", "boxes", "buzzes", "churches", "dishes", "men", "flies", "likes", "liked",
        "walked", "baking", "walking", "older", "oldest", "nicer", "nicest", "as"}) {
    INFO(word);
    CHECK(all.synsets(word).empty() == (std::string(word) == "as"));  // at most two letters: as is
  }
  CHECK(all.synsets("boss").empty());  // words in -ss are not shortened
  // The first rule whose form is a word is used: "axes" is ax + es, not axe + s, without "axe".
  CHECK_FALSE(words(folder.path, {"ax"}).synsets("axes").empty());
  write_file_synced(folder / "english.synsets", "axe\n1\nax\n2\n");
  CHECK(WordNet::load(folder.path).synsets("axes") == SynsetIds{1});
  // An exception replaces the rules.
  write_file_synced(folder / "english.exceptions", "axis\naxes\n");
  CHECK(WordNet::load(folder.path).synsets("axes").empty());
}

TEST_CASE("wordnet: errors", "[text_metrics]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(WordNet::load(folder.path), MissingError);
  CHECK_THROWS_WITH(WordNet::load(folder.path), Contains("contains neither WordNet (index.noun)") &&
                                                    Contains("apt-get install wordnet-base"));
  write_wordnet(folder.path);
  write_file_synced(folder / "index.verb", "dog v 1 1 @ 1 0 00000400\nrun v 2 0 2 0 00000500\n");
  CHECK_THROWS_WITH(WordNet::load(folder.path),
                    Contains("index.verb', line 2: expected 2 synsets of 'run'"));
  write_file_synced(folder / "index.verb", "run v 1 0 1 0 12x\n");
  CHECK_THROWS_WITH(WordNet::load(folder.path), Contains("line 1: '12x' is not a number"));
  write_file_synced(folder / "index.verb", "run v 18446744073709551615 0 1 0 00000500\n");
  CHECK_THROWS_WITH(WordNet::load(folder.path), Contains("line 1: expected 18446744073709551615"));
  write_file_synced(folder / "index.verb", "run v 1\n");
  CHECK_THROWS_AS(WordNet::load(folder.path), DataError);
  std::filesystem::remove(folder / "index.verb");
  CHECK_THROWS_AS(WordNet::load(folder.path), MissingError);
  const TemporaryFolder meteor;
  write_meteor_synonyms(meteor.path);
  write_file_synced(meteor / "english.synsets", "dog\n1 2\ncat\n\n");
  CHECK_THROWS_WITH(WordNet::load(meteor.path), Contains("line 4: nothing for 'cat'"));
  write_file_synced(meteor / "english.synsets", "dog\n1 2\ncat\n");
  CHECK_THROWS_WITH(WordNet::load(meteor.path), Contains("line 3: 'cat' without a line after it"));
}
