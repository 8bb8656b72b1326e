// Word vocabularies, and word vectors in text files.
#include <zlib.h>

#include <bit>
#include <cmath>
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
  CHECK(Words::count(text, {.most = 2}).words() == Strings{"b", "a"});
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
  const Words words({"caf\xc3\xa9", "\"", "a"}, {.lowercase = true});
  words.save(folder / "words.json");
  const Words back = Words::load(folder / "words.json");
  CHECK(back.words() == words.words());
  CHECK(back.encode("A caf\xc3\xa9") == Ids{6, 4});
  write_file_synced(folder / "words.json", "{\"schema\": \"other\"}");
  CHECK_THROWS_AS(Words::load(folder / "words.json"), DataError);
  CHECK_THROWS_AS(Words({"a", "b", "a"}, {}), DataError);
}

TEST_CASE("words: decoded, with their vocabulary", "[text]") {
  const Words words({"a", "b"}, {});
  CHECK(words.vocabulary() == Vocabulary{.size = 6, .bos = 1, .eos = 2, .pad = 0, .unk = 3});
  CHECK(words.decode(Ids{1, 5, 4, 3, 2, 0}) == "b a <unk>");
  CHECK(words.begins_word(4) == true);
  CHECK(words.begins_word(2) == false);
  CHECK_THROWS_AS(words.decode(Ids{6}), std::logic_error);
  CHECK(words.sha256() == Words({"a", "b"}, {}).sha256());
  CHECK(words.sha256() != Words({"b", "a"}, {}).sha256());
}

TEST_CASE("words: whitespace instead of the Treebank's rules", "[text]") {
  const Strings text = {"i did n't go. \t( wow. )", "go."};
  CHECK(Words::count(text, {}).words() ==
        Strings{".", "(", ")", "did", "go", "go.", "i", "n't", "wow"});
  const Words words = Words::count(text, {.tokenize = WordTokens::kWhitespace});
  CHECK(words.words() == Strings{"go.", "(", ")", "did", "i", "n't", "wow."});
  CHECK(words.encode(" i  did\tgo.\n") == Ids{8, 7, 4});
  CHECK(words.encode("i did go .") == Ids{8, 7});  // go and '.' are unknown
}

TEST_CASE("words: unknown words are kept as the unknown token", "[text]") {
  const Strings text = {"a b <unk>", "a b c", "a <unk>"};
  for (const auto tokenize : {WordTokens::kTreebank, WordTokens::kWhitespace}) {
    const Words words =
        Words::count(text, {.min_count = 2, .tokenize = tokenize, .keep_unknown = true});
    CHECK(words.words() == Strings{"a", "b"});
    CHECK(words.encode("a c d b") == Ids{4, 3, 3, 5});
    CHECK(words.encode("<unk> a <unk> <unk>") == Ids{3, 4, 3, 3});
    CHECK(words.encode(words.decode(Ids{4, 3, 3, 5, 3})) == Ids{4, 3, 3, 5, 3});
    CHECK(words.begins_word(3) == true);
  }
  const Words treebank({"a", "<"}, {.keep_unknown = true});
  CHECK(treebank.encode("a<unk>, < unk") == Ids{4, 3, 3, 5, 3});
  CHECK(treebank.encode("").empty());
  CHECK(Words({"a"}, {}).begins_word(3) == false);
}

TEST_CASE("words: the file of a vocabulary has only options that differ from the defaults",
          "[text]") {
  const TemporaryFolder folder;
  const auto file = folder / "words.json";
  Words({"a"}, {}).save(file);
  CHECK(read_file(file) ==
        "{\n \"schema\": \"lvtext.words/1\",\n \"lowercase\": false,\n \"words\": [\n  "
        "\"a\"\n ]\n}\n");
  const Words words({"a.", "b"}, {.tokenize = WordTokens::kWhitespace, .keep_unknown = true});
  words.save(file);
  const Words back = Words::load(file);
  CHECK(back.sha256() == words.sha256());
  CHECK(back.encode("a. c b") == Ids{4, 3, 5});
  CHECK(words.sha256() != Words({"a.", "b"}, {.keep_unknown = true}).sha256());
  write_file_synced(file, R"({"schema": "lvtext.words/1", "lowercase": false, "words": ["a"],
                              "tokenize": "13a"})");
  CHECK_THROWS_WITH(Words::load(file), Contains("is not a word vocabulary"));
}

TEST_CASE("text vectors: GloVe, word2vec's header, words with blanks, duplicates", "[text]") {
  const TemporaryFolder folder;
  const auto file = folder / "vectors.txt";
  write_file_synced(file, "the 0.5 -1e-2 3\n. . . 1 2 3\nthe 7 7 7\n, 0 0 1\n");
  const TextVectors glove = read_word_vectors(file);
  CHECK(glove.width == 3);  // the second vector of "the" is ignored, with a warning
  CHECK(glove.words == Strings{"the", ". . .", ","});
  CHECK(glove.values == std::vector<float>{0.5F, -0.01F, 3, 1, 2, 3, 0, 0, 1});
  CHECK(read_word_vectors(file, 1).words == Strings{"the"});
  write_file_synced(file, "2 2\nthe 1 2\nof 3 4\n");
  CHECK(read_word_vectors(file).words == Strings{"the", "of"});
}

TEST_CASE("text vectors: errors and their lines", "[text]") {
  const TemporaryFolder folder;
  const auto file = folder / "vectors.txt";
  const auto says = [&](const char* text, const char* what) {
    write_file_synced(file, text);
    CHECK_THROWS_WITH(read_word_vectors(file), Contains(what));
  };
  says("the 1 2\nof 1\n", "line 2: 1 number after the word, but the first word has 2");
  says("the 1 2\nof 1 x\n", "line 2: 'x' is not a finite number");
  says("the 1 2\n1 2\n", "line 2: no word before 2 numbers");
  says("2 2\nthe 1 2\n 1 2\n", "line 3: no word before 2 numbers");
  says("the 1 2\n2\n", "line 2: 0 numbers");
  says("the 1 nan\n", "'nan' is not a finite number");
  says("the 1 1e39\n", "'1e39' is not a finite number");
  says("the 1 ++1\n", "'++1' is not a finite number");
  says("the 1 +-1\n", "'+-1' is not a finite number");
  says("the\n", "line 1: no numbers");
  says("1 1000000\nthe 1\n", "at most 65,536");
}

TEST_CASE("text vectors: a header that disagrees with the lines", "[text]") {
  const TemporaryFolder folder;
  const auto file = folder / "vectors.txt";
  const auto says = [&](const char* text, const char* what) {
    write_file_synced(file, text);
    CHECK_THROWS_WITH(read_word_vectors(file), Contains(what));
  };
  says("3 2\nthe 1 2\nof 3 4\n", "the header specifies 3 words, but the file has 2");
  says("1 2\nthe 1 2\nof 3 4\n", "line 3: the header specifies 1 word, but the file has more");
  says("2 3\nthe 1 2\nof 3 4\n", "line 2: 2 numbers after the word, but the header specifies 3");
  says("2 1\nNew York 1 2\nof 3 4\nat 1 2\n", "line 4: the header specifies 2 words");
  says("2 2\n", "the header specifies 2 words, but the file has 0");
  // A word that is a number, and its only number, cannot be distinguished from a header.
  says("5 3\nthe 1\n", "if the first line is a word with one number, add a header");
}

TEST_CASE("text vectors: lines that gensim and GloVe accept", "[text]") {
  const TemporaryFolder folder;
  const auto file = folder / "vectors.txt";
  const auto read = [&](const std::string& text) {
    write_file_synced(file, text);
    return read_word_vectors(file);
  };
  SECTION("one dimension, with and without a header") {
    for (const char* text : {"2 1\nthe 1\nof 3\n", "the 1\nof 3\n"}) {
      const TextVectors vectors = read(text);
      CHECK(vectors.width == 1);
      CHECK(vectors.words == Strings{"the", "of"});
      CHECK(vectors.values == std::vector<float>{1, 3});
    }
  }
  SECTION("words with blanks, a no-break space, control characters") {
    CHECK(read("3 2\nNew York 1 2\n\u00A0 3 4\n\x01 5 6\n").words ==
          Strings{"New York", "\u00A0", "\x01"});
    CHECK(read("2 2\n\x01 1 2\nthe 3 4\n").words == Strings{"\x01", "the"});
  }
  SECTION("plus signs and numbers too small for float32") {
    const TextVectors vectors =
        read("the +1 1e-50\nof -1e-400 -0.00" + std::string(400, '0') + "1\nat 1e-40 +2.5e+0\n");
    CHECK(vectors.values == std::vector<float>{1, 0, 0, 0, 1e-40F, 2.5F});
    CHECK(std::signbit(vectors.values[2]));
  }
  SECTION("the size of a number out of range is that of its first digit, not its exponent's sign") {
    const std::string zeros(60, '0');
    CHECK(read("the 0." + zeros + "1e5 1\nof 0." + zeros + "1E+5 2\n").values ==
          std::vector<float>{0, 1, 0, 2});
    CHECK(read("the 1" + zeros + "e-110 1\nof 1e-99999999999999999999 2\n").values ==
          std::vector<float>{0, 1, 0, 2});
    for (const std::string& large : {"1" + zeros + "e-5", zeros + "1e39", "-2" + zeros + ".5e-1"}) {
      INFO(large);
      CHECK_THROWS_AS(read("the " + large + " 1\nof 1 2\n"), DataError);
    }
  }
  SECTION("CR LF, tabs, blanks at the end of lines, empty lines at the end") {
    for (const char* text : {"2 2\r\nthe 1 2\r\nof 3 4\r\n", "the\t1\t2\nof\t3\t4\n",
                             "\xEF\xBB\xBF"
                             "2 2\nthe 1 2 \nof 3 4 \n\n \n"}) {
      const TextVectors vectors = read(text);
      CHECK(vectors.words == Strings{"the", "of"});
      CHECK(vectors.values == std::vector<float>{1, 2, 3, 4});
    }
    CHECK_THROWS_WITH(read("the 1 2\n\nof 3 4\n"), Contains("line 2: the line is empty"));
  }
}

TEST_CASE("words: words between white space are kept whole if the vocabulary has them", "[text]") {
  const Words words(
      {"can", "not", "cannot", "don't", "50%", "$5", "<unk>", "do", "n't", ".", "``", "e.g.", "%"},
      {.whole_words = true});
  const auto text = [&](const std::string& sentence) {
    return words.decode(words.encode(sentence));
  };
  CHECK(text("cannot don't 50% $5 <unk>") == "cannot don't 50% $5 <unk>");
  CHECK(text("\"do not. Cannot cannot.") == "`` do not . not cannot .");
  CHECK(text("didn't 60% e.g.\u00A0can't") == "n't % e.g. n't");
  CHECK(text("\x01 cannot \x01") == "cannot");
  CHECK(text("\x01, do \x01") == "do");
  const TemporaryFolder folder;
  words.save(folder / "words.json");
  CHECK(Words::load(folder / "words.json").encode("cannot") == Ids{6});
  CHECK(Words({"can", "not", "cannot"}, {}).encode("cannot") == Ids{4, 5});
}

TEST_CASE("words: punctuation around words of the vocabulary is divided from them", "[text]") {
  const Words words(
      {"cannot", "don't", "$5", "5", "50%", "U.S.", "etc.", "rock'n'roll", "``", "''", "'",
       "(",      ")",     ".",  ",", "$",   "%",    "...",  "“",           "”",  "-",  "n't"},
      {.whole_words = true});
  const auto text = [&](const std::string& sentence) {
    return words.decode(words.encode(sentence));
  };
  CHECK(text("I cannot. cannot, (don't) cost $5, 50%.") ==
        "cannot . cannot , ( don't ) $5 , 50% .");
  CHECK(text("\"cannot\" 'don't' “cannot”") == "`` cannot '' ' don't ' “ cannot ”");
  CHECK(text("the (U.S.), etc.: rock'n'roll.)\"") == "( U.S. ) , etc. rock'n'roll . ) ''");
  CHECK(text("cannot... ...cannot") == "cannot ... ... cannot");
  CHECK(text("$5% $50") == "$5 % $");
  CHECK(text("... .. -5 ( $ can't.") == "... ( $ n't .");  // no word of the vocabulary inside
  // Where the marks of the whole are in the vocabulary, too, they are not removed.
  CHECK(text("etc.. U.S..") == "etc. . U.S. .");
}

namespace {

/// A record of a binary file of word vectors.
std::string record(const std::string& word, const std::vector<float>& values,
                   const std::string& end = "\n") {
  const auto* bytes = reinterpret_cast<const char*>(values.data());
  return word + " " + std::string(bytes, sizeof(float) * values.size()) + end;
}

}  // namespace

TEST_CASE("text vectors: word2vec's binary format, with and without newlines", "[text]") {
  const TemporaryFolder folder;
  const auto file = folder / "vectors.bin";
  // The bytes of 0.1f contain no newline; those of 3.6e-44f are "\x1a\0\0\0".
  const std::vector<float> the = {0.1F, -2.5F}, cafe = {3.6e-44F, 1e30F};
  for (const std::string end : {"\n", ""}) {
    write_file_synced(file, "4 2\n" + record("the", the, end) + record("caf\xc3\xa9", cafe, end) +
                                record("the", {7, 7}, end) + record("of", {0, 10}, end));
    const TextVectors vectors = read_word_vectors(file);
    CHECK(vectors.width == 2);
    CHECK(vectors.words == Strings{"the", "caf\xc3\xa9", "of"});
    CHECK(vectors.values == std::vector<float>{the[0], the[1], cafe[0], cafe[1], 0, 10});
    CHECK(read_word_vectors(file, 1).words == Strings{"the"});
  }
  // A value whose first byte is a newline.
  write_file_synced(file, "1 1\n" + record("x", {std::bit_cast<float>(0x3F00000AU)}));
  CHECK(read_word_vectors(file).values.front() == std::bit_cast<float>(0x3F00000AU));
}

TEST_CASE("text vectors: binary and text files, compressed", "[text]") {
  const TemporaryFolder folder;
  const auto file = folder / "vectors.gz";
  const auto compress = [&](const std::string& content, const char* mode = "wb") {
    gzFile zip = gzopen(file.c_str(), mode);
    gzwrite(zip, content.data(), static_cast<unsigned>(content.size()));
    gzclose(zip);
  };
  const auto values = [&] { return read_word_vectors(file).values; };
  compress("1 2\n" + record("the", {0.5F, 1}));
  CHECK(values() == std::vector<float>{0.5F, 1});
  compress("1 2\nthe 0.5 1\n");
  CHECK(values() == std::vector<float>{0.5F, 1});
  compress("1 2\n");  // a header that was added: a gzip member of its own
  compress(record("the", {0.5F, 1}), "ab");
  CHECK(values() == std::vector<float>{0.5F, 1});
}

TEST_CASE("text vectors: errors of binary files and their records", "[text]") {
  const TemporaryFolder folder;
  const auto file = folder / "vectors.bin";
  const auto says = [&](const std::string& content, const char* what) {
    write_file_synced(file, content);
    CHECK_THROWS_WITH(read_word_vectors(file), Contains(what));
  };
  const std::string whole = "2 2\n" + record("the", {1, 2}) + record("of", {3, 4});
  says(whole.substr(0, whole.size() - 2), "record 2 of 2: the file is truncated");
  says("3" + whole.substr(1), "record 3 of 3: the file is truncated");
  says("1" + whole.substr(1), "the header specifies 1 word, but more data follow");
  says("1 1\n" + record("", {1}), "record 1 of 1: no word");
  says("1 1\n" + record("x", {std::nanf("")}), "record 1 of 1: a value is not finite");
  says("1 1\n" + record("\xff", {1}), "record 1 of 1: the word is not UTF-8");
  says("1 1000000\n" + record("x", {1}), "at most 65,536");
}

TEST_CASE("text vectors: published files, if a mirror has them", "[text]") {
  const char* mirror = std::getenv("LVTEXT_DATA_MIRROR");
  if (!mirror || !*mirror) return;
  const auto folder = std::filesystem::path(mirror) / "vectors";
  const TextVectors glove = read_word_vectors(folder / "glove.6B.100d.top2722.txt.gz");
  CHECK(glove.width == 100);
  CHECK(glove.words.size() == 2722);
  CHECK(glove.words.front() == "the");
  CHECK(glove.values.front() == Approx(-0.038194));
  CHECK(read_word_vectors(folder / "word2vec.googlenews.300d.top1000.txt.gz").width == 300);
}
