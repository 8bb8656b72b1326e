// Word vocabularies, and word vectors in text files.
#include <cstdlib>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/text/text_vectors.h"
#include "framework/core/text/words.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;
using Ids = std::vector<int32_t>;
using Strings = std::vector<std::string>;

TEST_CASE("words: by frequency, then by bytes", "[text]") {
  const Strings text = {"b a. a", "The b c", "the a"};
  const Words words = Words::count(text, {});
  CHECK(words.words() == Strings{"a", "b", "The", "a.", "c", "the"});
}

TEST_CASE("words: limit, min_count and lowercase", "[text]") {
  const Strings text = {"b a", "The b c", "the a b"};
  CHECK(Words::count(text, {.most = 2, .min_count = 1, .lowercase = false}).words() ==
        Strings{"b", "a"});
  CHECK(Words::count(text, {.min_count = 3}).words() == Strings{"b"});
  const Words lower = Words::count(text, {.lowercase = true});
  CHECK(lower.words() == Strings{"b", "a", "the", "c"});
  CHECK(lower.size() == 8);
  CHECK(lower.encode("THE b, unseen a") == Ids{6, 4, 5});
  CHECK(lower.encode("").empty());
  CHECK(lower.encode("nothing known").empty());
}

TEST_CASE("words: written and read back", "[text]") {
  const TemporaryFolder folder;
  const Words words({"caf\xc3\xa9", "\"", "a"}, true);
  words.save(folder / "words.json");
  const Words back = Words::load(folder / "words.json");
  CHECK(back.words() == words.words());
  CHECK(back.encode("A caf\xc3\xa9") == Ids{6, 4});
  write_file_synced(folder / "words.json", "{\"schema\": \"other\"}");
  CHECK_THROWS_AS(Words::load(folder / "words.json"), DataError);
  CHECK_THROWS_AS(Words({"a", "b", "a"}, false), DataError);
}

TEST_CASE("words: decoded, with their vocabulary", "[text]") {
  const Words words({"a", "b"}, false);
  CHECK(words.vocabulary() == Vocabulary{.size = 6, .bos = 1, .eos = 2, .pad = 0, .unk = 3});
  CHECK(words.decode(Ids{1, 5, 4, 3, 2, 0}) == "b a <unk>");
  CHECK(words.begins_word(4) == true);
  CHECK(words.begins_word(2) == false);
  CHECK_THROWS_AS(words.decode(Ids{6}), std::logic_error);
  CHECK(words.sha256() == Words({"a", "b"}, false).sha256());
  CHECK(words.sha256() != Words({"b", "a"}, false).sha256());
}

TEST_CASE("text vectors: GloVe, word2vec's header, words with blanks, duplicates", "[text]") {
  const TemporaryFolder folder;
  const auto file = folder / "vectors.txt";
  write_file_synced(file, "the 0.5 -1e-2 3\n. . . 1 2 3\nthe 7 7 7\n, 0 0 1\n");
  const TextVectors glove = read_text_vectors(file);
  CHECK(glove.width == 3);
  CHECK(glove.words == Strings{"the", ". . .", ","});
  CHECK(glove.values == std::vector<float>{0.5F, -0.01F, 3, 1, 2, 3, 0, 0, 1});
  CHECK(read_text_vectors(file, 1).words == Strings{"the"});
  write_file_synced(file, "2 2\nthe 1 2\nof 3 4\n");
  CHECK(read_text_vectors(file).words == Strings{"the", "of"});
}

TEST_CASE("text vectors: errors and their lines", "[text]") {
  const TemporaryFolder folder;
  const auto file = folder / "vectors.txt";
  const auto says = [&](const char* text, const char* what) {
    write_file_synced(file, text);
    CHECK_THROWS_WITH(read_text_vectors(file), Contains(what));
  };
  says("the 1 2\nof 1\n", "line 2: 'of' is not a number");
  says("the 1 2\n1 2\n", "line 2: no word");
  says("the 1 2\n2\n", "line 2: fewer than 2 numbers");
  says("the 1 nan\n", "'nan' is not a number");
  says("the\n", "line 1: no numbers");
  says("2 2\n", "contains no word vectors");
}

TEST_CASE("text vectors: published files, if a mirror has them", "[text]") {
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
