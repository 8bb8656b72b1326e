// Vocabularies of words, and word vectors of text files.
#include <cstdlib>

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/text/text_vectors.h"
#include "framework/text/word_vocabulary.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;
using Ids = std::vector<int32_t>;
using Words = std::vector<std::string>;

TEST_CASE("words: by frequency, then by bytes", "[text]") {
  const Words text = {"b a. a", "The b c", "the a"};
  const WordVocabulary words = WordVocabulary::count(text, {});
  CHECK(words.words() == Words{"a", "b", "The", "a.", "c", "the"});
}

TEST_CASE("words: most, min_count and lowercase", "[text]") {
  const Words text = {"b a", "The b c", "the a b"};
  CHECK(WordVocabulary::count(text, {.most = 2, .min_count = 1, .lowercase = false}).words() ==
        Words{"b", "a"});
  CHECK(WordVocabulary::count(text, {.min_count = 3}).words() == Words{"b"});
  const WordVocabulary lower = WordVocabulary::count(text, {.lowercase = true});
  CHECK(lower.words() == Words{"b", "a", "the", "c"});
  CHECK(lower.size() == 8);
  CHECK(lower.encode("THE b, unseen a") == Ids{6, 4, 5});
  CHECK(lower.encode("").empty());
  CHECK(lower.encode("nothing known").empty());
}

TEST_CASE("words: written and read back", "[text]") {
  const TemporaryFolder folder;
  const WordVocabulary words({"caf\xc3\xa9", "\"", "a"}, true);
  words.save(folder / "words.json");
  const WordVocabulary back = WordVocabulary::load(folder / "words.json");
  CHECK(back.words() == words.words());
  CHECK(back.encode("A caf\xc3\xa9") == Ids{6, 4});
  write_file_synced(folder / "words.json", "{\"schema\": \"other\"}");
  CHECK_THROWS_AS(WordVocabulary::load(folder / "words.json"), DataError);
  CHECK_THROWS_AS(WordVocabulary({"a", "b", "a"}, false), DataError);
}

TEST_CASE("text vectors: GloVe, word2vec's header, words with blanks, doubles", "[text]") {
  const TemporaryFolder folder;
  const auto file = folder / "vectors.txt";
  write_file_synced(file, "the 0.5 -1e-2 3\n. . . 1 2 3\nthe 7 7 7\n, 0 0 1\n");
  const TextVectors glove = read_text_vectors(file);
  CHECK(glove.width == 3);
  CHECK(glove.words == Words{"the", ". . .", ","});
  CHECK(glove.values == std::vector<float>{0.5F, -0.01F, 3, 1, 2, 3, 0, 0, 1});
  CHECK(read_text_vectors(file, 1).words == Words{"the"});
  write_file_synced(file, "2 2\nthe 1 2\nof 3 4\n");
  CHECK(read_text_vectors(file).words == Words{"the", "of"});
}

TEST_CASE("text vectors: what is wrong, with its line", "[text]") {
  const TemporaryFolder folder;
  const auto file = folder / "vectors.txt";
  const auto says = [&](const char* text, const char* what) {
    write_file_synced(file, text);
    CHECK_THROWS_WITH(read_text_vectors(file), Contains(what));
  };
  says("the 1 2\nof 1\n", "line 2: 'of' is no number");
  says("the 1 2\n1 2\n", "line 2: no word");
  says("the 1 2\n2\n", "line 2: fewer than 2 numbers");
  says("the 1 nan\n", "'nan' is no number");
  says("the\n", "line 1: no numbers");
  says("2 2\n", "holds no word vectors");
}

TEST_CASE("text vectors: published files, where a mirror holds them", "[text]") {
  const char* mirror = std::getenv("LVTEXT_DATA_MIRROR");
  if (!mirror) return;
  const auto folder = std::filesystem::path(mirror) / "vectors";
  const TextVectors glove = read_text_vectors(folder / "glove.6B.100d.top2722.txt.gz");
  CHECK(glove.width == 100);
  CHECK(glove.words.size() == 2722);
  CHECK(glove.words.front() == "the");
  CHECK(glove.values.front() == Approx(-0.038194));
  CHECK(read_text_vectors(folder / "word2vec.googlenews.300d.top1000.txt.gz").width == 300);
}
