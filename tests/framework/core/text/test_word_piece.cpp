#include "framework/core/text/word_piece.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/text/lines.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

using Strings = std::vector<std::string>;

WordPiece small(bool lower_case = true) {
  return {{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "un",     "##aff",  "##able",
           "a",     "##b",   "cafe",  "i",     "ss",     "\u4f60", "\u597d", "!",
           "$",     "-",     "A",     "##n",   "\u00e9", "e",      "\u03c3", "##\u03c3"},
          lower_case};
}

Strings pieces_of(const WordPiece& tokenizer, std::string_view text) {
  Strings pieces;
  for (const int32_t id : tokenizer.encode(text)) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

}  // namespace

TEST_CASE("word piece: a word is divided into the longest tokens from its start", "[text]") {
  const WordPiece tokenizer = small();
  CHECK(pieces_of(tokenizer, "unaffable a!") == Strings{"un", "##aff", "##able", "a", "!"});
  // There is no token for a rest: the whole word is unknown.
  CHECK(pieces_of(tokenizer, "unaffx ab") == Strings{"[UNK]", "a", "##b"});
  CHECK(pieces_of(tokenizer, "").empty());
  CHECK(pieces_of(tokenizer, " \t\n\u3000").empty());
  const std::string longest = "a" + std::string(99, 'b');
  CHECK(tokenizer.encode(longest).size() == 100);
  CHECK(pieces_of(tokenizer, longest + "b") == Strings{"[UNK]"});
}

TEST_CASE("word piece: characters are cleaned, divided and lowered as by BERT", "[text]") {
  const WordPiece tokenizer = small();
  CHECK(pieces_of(tokenizer, "CAF\u00c9 Cafe\u0301") == Strings{"cafe", "cafe"});
  // A capital I with a dot loses it; a final sigma is not special; Hangul and kana are no words.
  CHECK(pieces_of(tokenizer, "\u0130 \u03a3\u03a3") == Strings{"i", "\u03c3", "##\u03c3"});
  CHECK(pieces_of(tokenizer, "a\u4f60\u597db") == Strings{"a", "\u4f60", "\u597d", "[UNK]"});
  CHECK(pieces_of(tokenizer, "a$-a") == Strings{"a", "$", "-", "a"});
  // Removed: control and format characters, invalid bytes, NUL; a no-break space is a blank.
  CHECK(pieces_of(tokenizer,
                  "c\u200ba\x01"
                  "f\xff"
                  "e\ufffd") == Strings{"cafe"});
  CHECK(pieces_of(tokenizer, std::string_view("a\0b", 3)) == Strings{"a", "##b"});
  CHECK(pieces_of(tokenizer, "a\u00a0i") == Strings{"a", "i"});
  CHECK(pieces_of(tokenizer, "a[SEP][MASK]x[sep]") ==
        Strings{"a", "[SEP]", "[MASK]", "[UNK]", "[UNK]", "[UNK]", "[UNK]"});
}

TEST_CASE("word piece: a cased vocabulary keeps case and accents", "[text]") {
  const WordPiece tokenizer = small(/*lower_case=*/false);
  CHECK(pieces_of(tokenizer, "An a \u00e9 I") == Strings{"A", "##n", "a", "\u00e9", "[UNK]"});
  CHECK(tokenizer.sha256() != small().sha256());
}

TEST_CASE("word piece: special ids, words and text", "[text]") {
  const WordPiece tokenizer = small();
  const Vocabulary& vocabulary = tokenizer.vocabulary();
  CHECK(vocabulary.bos == 2);
  CHECK(vocabulary.eos == 3);
  CHECK(vocabulary.pad == 0);
  CHECK(vocabulary.unk == 1);
  CHECK(tokenizer.decode(tokenizer.encode("[CLS] Unaffable\u00a0AB!")) == "unaffable ab !");
  CHECK(tokenizer.begins_word(5) == true);
  CHECK(tokenizer.begins_word(6) == false);
  CHECK_THROWS_AS(tokenizer.decode(std::vector<int32_t>{99}), std::logic_error);
}

TEST_CASE("word piece: a saved vocabulary is the same", "[text]") {
  const TemporaryFolder folder;
  write_file_atomic(folder.path / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n##\u00e9\n");
  const WordPiece tokenizer =
      WordPiece::read_vocabulary(folder.path / "vocab.txt", /*lower_case=*/false);
  tokenizer.save(folder.path / kWordPieceFile);
  const WordPiece loaded = WordPiece::load(folder.path / kWordPieceFile);
  CHECK(loaded.sha256() == tokenizer.sha256());
  CHECK(loaded.encode("a\u00e9") == TokenIds{4, 5});
  // Without [MASK] the text is divided.
  CHECK(loaded.encode("[MASK]") == TokenIds{1, 1, 1});
  write_file_atomic(folder.path / "no.json", "{}");
  CHECK_THROWS_AS(WordPiece::load(folder.path / "no.json"), DataError);
  CHECK_THROWS_WITH(WordPiece({"[PAD]", "[UNK]", "[CLS]", "a"}, true),
                    "WordPiece: the vocabulary has no token [SEP]");
  CHECK_THROWS_WITH(WordPiece({"[PAD]", "[PAD]"}, true),
                    "WordPiece: token 1, '[PAD]', occurs twice");
}

TEST_CASE("word piece: ids of a reference", "[text][long]") {
  // Lines of {"text": ..., "ids": [...]}, written by tests/peers/word_piece.py.
  const char* file = std::getenv("LVTEXT_PEER_VOCABULARY");
  const char* cases = std::getenv("LVTEXT_PEER_CASES");
  if (!file || !cases) {
    WARN("not tested: ids of tokenizers (run tests/peers/word_piece.py)");
    return;
  }
  const WordPiece tokenizer = WordPiece::read_vocabulary(file, /*lower_case=*/true);
  int64_t lines = 0;
  for_each_line(cases, [&](const std::string& line) {
    const auto json = nlohmann::json::parse(line);
    const auto text = json.at("text").get<std::string>();
    CAPTURE(lines, line);
    CHECK(tokenizer.encode(text) == json.at("ids").get<TokenIds>());
    ++lines;
  });
  CHECK(lines == 12000);
}
