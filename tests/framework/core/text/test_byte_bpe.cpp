#include "framework/core/text/byte_bpe.h"

#include <cstdlib>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/text/lines.h"
#include "framework/core/text/unicode.h"
#include "tests/catch.h"
#include "tests/gpt2_files.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

std::vector<std::string> pretokens_of(std::string_view text) {
  std::vector<std::string> pretokens;
  for (const std::string_view pretoken : byte_bpe_pretokens(text)) pretokens.emplace_back(pretoken);
  return pretokens;
}

std::vector<std::string> tokens_of(const ByteBpe& tokenizer, std::string_view text) {
  std::vector<std::string> tokens;
  for (const int32_t id : tokenizer.encode(text)) tokens.push_back(tokenizer.token(id));
  return tokens;
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("byte bpe: pretokens equal those of the specification", "[text]") {
  // Specification 2, section 7.10.
  CHECK(pretokens_of(" It 's 3 @-@ 4 o'clock, don't") ==
        Strings{" It", " '", "s", " 3", " @-@", " 4", " o", "'", "clock", ",", " don", "'t"});
  CHECK(pretokens_of("a  b\n\n c") == Strings{"a", " ", " b", "\n\n", " c"});
  CHECK(pretokens_of("x\ny  ") == Strings{"x", "\n", "y", "  "});
  CHECK(pretokens_of("I'LL we'll 123abc ...") ==
        Strings{"I", "'", "LL", " we", "'ll", " 123", "abc", " ..."});
  CHECK(pretokens_of("").empty());
  // A no-break space is white space, but not the blank that a word takes along.
  CHECK(pretokens_of("a\u00a0b") == Strings{"a", "\u00a0", "b"});
  CHECK(pretokens_of("\u00e9t\u00e9 \u4f60\u597d \u0663") ==
        Strings{"\u00e9t\u00e9", " \u4f60\u597d", " \u0663"});
  CHECK(pretokens_of("a\xff\xfe b") == Strings{"a", "\xff\xfe", " b"});
}

TEST_CASE("byte bpe: merges equal those of the specification", "[text]") {
  const ByteBpe tokenizer(
      {{" ", "l"}, {" l", "o"}, {" lo", "w"}, {"e", "r"}, {"n", "e"}, {"ne", "w"}, {"a", "a"}}, {});
  CHECK(tokens_of(tokenizer, "low") == Strings{"l", "o", "w"});
  CHECK(tokens_of(tokenizer, " low") == Strings{" low"});
  CHECK(tokens_of(tokenizer, " lower") == Strings{" low", "er"});
  CHECK(tokens_of(tokenizer, "newer") == Strings{"new", "er"});
  CHECK(tokens_of(tokenizer, "aaa") == Strings{"aa", "a"});
  CHECK(tokens_of(tokenizer, "aaaa") == Strings{"aa", "aa"});
}

TEST_CASE("byte bpe: all pairs of the lowest rank are merged before the pairs that this makes",
          "[text]") {
  // "abc" is made twice; after the second merge it is in a pair of a lower rank.
  const ByteBpe tokenizer(
      {{"a", "b"}, {"b", "c"}, {"a", "bc"}, {"abc", "ab"}, {"ab", "c"}, {"x", "x"}, {"xx", "xx"}},
      {});
  CHECK(tokens_of(tokenizer, "abcabc") == Strings{"abc", "abc"});
  CHECK(tokens_of(tokenizer, "abcab") == Strings{"abcab"});
  CHECK(tokens_of(tokenizer, "xxxxxxx") == Strings{"xxxx", "xx", "x"});
  // A long pretoken takes no quadratic time.
  const std::string repeated(400001, 'x');
  const TokenIds ids = tokenizer.encode(repeated);
  CHECK(ids.size() == 100001);
  CHECK(tokenizer.decode(ids) == repeated);
}

TEST_CASE("byte bpe: ids and round trip of a reference", "[text][long]") {
  // Lines of {"text": hexadecimal bytes, "ids": [...] or null}, written by tests/peers/byte_bpe.py.
  const char* merges = std::getenv("LVTEXT_PEER_MERGES");
  const char* cases = std::getenv("LVTEXT_PEER_CASES");
  if (!merges || !cases) {
    WARN("not tested: ids of transformers (run tests/peers/byte_bpe.py)");
    return;
  }
  const ByteBpe tokenizer = ByteBpe::read_merges(merges, {.texts = {"<|endoftext|>"}});
  CHECK(tokenizer.size() == 50257);
  int64_t lines = 0;
  for_each_line(cases, [&](const std::string& line) {
    const auto json = nlohmann::json::parse(line);
    const auto hexadecimal = json.at("text").get<std::string>();
    std::string text;
    for (size_t i = 0; i < hexadecimal.size(); i += 2) {
      text.push_back(static_cast<char>(std::stoi(hexadecimal.substr(i, 2), nullptr, 16)));
    }
    const TokenIds ids = tokenizer.encode(text);
    CAPTURE(lines, text);
    CHECK(tokenizer.decode(ids) == text);
    if (!json.at("ids").is_null()) CHECK(ids == json.at("ids").get<TokenIds>());
    ++lines;
  });
  CHECK(lines == 10000);
  WARN("our categories: " + unicode_version());  // the script prints Python's version
}

TEST_CASE("byte bpe: ids of bytes are those of GPT-2", "[text]") {
  const ByteBpe tokenizer({}, {});
  const auto id = [&](unsigned char byte) {
    return tokenizer.encode(std::string(1, static_cast<char>(byte))).at(0);
  };
  CHECK(id(' ') == 220);
  CHECK(id('\n') == 198);
  CHECK(id('!') == 0);
  CHECK(id('~') == 93);
  CHECK(id(0xA1) == 94);
  CHECK(id(0xAE) == 106);
  CHECK(id(0xFF) == 187);
  CHECK(id(0x00) == 188);
  CHECK(id(0x7F) == 221);
  CHECK(id(0xAD) == 255);
  CHECK(tokenizer.size() == 256);
}

TEST_CASE("byte bpe: every text survives the round trip", "[text]") {
  const ByteBpe tokenizer =
      ByteBpe::train({"the cat sat on the mat", "the dog sat on the log, don't they?"}, 280, {});
  std::string bytes(256, '\0');
  std::iota(bytes.begin(), bytes.end(), 0);
  for (const std::string& text :
       {std::string("the cat\tsat \n\n on  the mat "), std::string("\u4f60\u597d \U0001F600!"),
        bytes, bytes + bytes, std::string("\xc3"), std::string(5000, 'a')}) {
    const TokenIds ids = tokenizer.encode(text);
    CHECK(tokenizer.decode(ids) == text);
  }
}

TEST_CASE("byte bpe: training takes the most frequent pair, then the lowest ids", "[text]") {
  // Pairs of "abab abab": within pretokens "abab" and " abab": ab 4, ba 2, " a" 1.
  const ByteBpe tokenizer = ByteBpe::train({"abab abab"}, 258, {});
  CHECK(tokenizer.token(256) == "ab");
  CHECK(tokenizer.token(257) == "abab");
  // Of equally frequent pairs that of the lowest ids: "cd" before "xy".
  CHECK(ByteBpe::train({"xy cd xy cd"}, 257, {}).token(256) == "cd");
  // No pair occurs twice: fewer ids than allowed.
  CHECK(ByteBpe::train({"abc"}, 300, {}).size() == 256);
  const ByteBpe with_added = ByteBpe::train({"aa aa"}, 300, {.texts = {"<s>"}});
  CHECK(with_added.size() == 256 + 1 + 1);
  CHECK_THROWS_AS(ByteBpe::train({"aa"}, 200, {}), ConfigError);
}

TEST_CASE("byte bpe: training equals a plain implementation", "[text]") {
  // Counts all pairs again after each merge.
  const std::vector<std::string> texts = {"she sells sea shells by the sea shore",
                                          "the shells she sells are sea shells for sure",
                                          "banana bandana ananas", "aaaa aaaaa aaa"};
  const ByteBpe tokenizer = ByteBpe::train(texts, 300, {});
  const ByteBpe bytes({}, {});
  std::vector<TokenIds> pretokens;
  for (const std::string& text : texts) {
    for (const std::string_view pretoken : byte_bpe_pretokens(text))
      pretokens.push_back(bytes.encode(pretoken));
  }
  for (int32_t id = 256; id < tokenizer.size(); ++id) {
    std::map<std::pair<int32_t, int32_t>, int64_t> counts;
    for (const TokenIds& pretoken : pretokens) {
      for (size_t k = 0; k + 1 < pretoken.size(); ++k) ++counts[{pretoken[k], pretoken[k + 1]}];
    }
    std::pair<int32_t, int32_t> best;
    int64_t most = 0;
    for (const auto& [pair, count] : counts) {  // in the order of ids
      if (count > most) {
        most = count;
        best = pair;
      }
    }
    REQUIRE(most >= 2);
    REQUIRE(tokenizer.token(id) == tokenizer.token(best.first) + tokenizer.token(best.second));
    for (TokenIds& pretoken : pretokens) {
      TokenIds merged;
      for (size_t k = 0; k < pretoken.size(); ++k) {
        const bool found =
            k + 1 < pretoken.size() && pretoken[k] == best.first && pretoken[k + 1] == best.second;
        merged.push_back(found ? id : pretoken[k]);
        k += found ? 1 : 0;
      }
      pretoken = merged;
    }
  }
}

TEST_CASE("byte bpe: added tokens are single ids", "[text]") {
  const ByteBpe tokenizer(
      {{"e", "n"}}, {.texts = {"<|end|>", "<bos>", "<|end|>x"}, .bos = "<bos>", .eos = "<|end|>"});
  CHECK(tokenizer.size() == 260);
  CHECK(tokenizer.vocabulary() == Vocabulary{.size = 260, .bos = 258, .eos = 257});
  CHECK(tokens_of(tokenizer, "en<|end|>x <bos>") == Strings{"en", "<|end|>x", " ", "<bos>"});
  const TokenIds ids = tokenizer.encode("a<|end|>b");
  CHECK(ids.at(1) == 257);
  CHECK(tokenizer.decode(ids) == "ab");
  CHECK(tokenizer.decode(tokenizer.encode("<|end|>x")) == "<|end|>x");
  CHECK_THROWS_WITH(ByteBpe({}, {.texts = {"a", "a"}}), Contains("occurs twice"));
  CHECK_THROWS_WITH(ByteBpe({}, {.texts = {""}}), Contains("is empty"));
  CHECK_THROWS_WITH(ByteBpe({}, {.eos = "<e>"}), Contains("none of the added tokens"));
}

TEST_CASE("byte bpe: files are written, read and checked", "[text]") {
  const TemporaryFolder folder;
  const auto merges = folder / "merges.txt";
  write_file_atomic(merges, "#version: 0.2\n\u0120 l\n\u0120l o\n");
  const ByteBpe read = ByteBpe::read_merges(merges, {.texts = {"<e>"}, .eos = "<e>"});
  CHECK(read.merges() == 2);
  CHECK(tokens_of(read, "a lo") == Strings{"a", " lo"});
  read.save(folder / kByteBpeFile);
  const ByteBpe loaded = ByteBpe::load(folder / kByteBpeFile);
  CHECK(loaded.sha256() == read.sha256());
  CHECK(loaded.vocabulary() == read.vocabulary());
  CHECK(loaded.encode("a lo<e>") == read.encode("a lo<e>"));
  const auto refused = [&](const std::string& text) {
    write_file_atomic(merges, text);
    return [&] { ByteBpe::read_merges(merges, {}); };
  };
  CHECK_THROWS_WITH(refused("a\n")(), Contains("line 1: expected two tokens"));
  CHECK_THROWS_WITH(refused("a b\na b\n")(), Contains("occurs twice"));
  CHECK_THROWS_WITH(refused("ab c\n")(), Contains("'ab' is no token before it"));
  CHECK_THROWS_WITH(refused("\u4f60 c\n")(), Contains("line 1: expected two tokens"));
  write_file_atomic(folder / kByteBpeFile, "{}");
  CHECK_THROWS_AS(ByteBpe::load(folder / kByteBpeFile), DataError);
}

TEST_CASE("byte bpe: tokens that begin a word", "[text]") {
  const ByteBpe tokenizer({{" ", "a"}}, {});
  CHECK(tokenizer.begins_word(256) == true);
  CHECK(tokenizer.begins_word(tokenizer.encode("b").at(0)) == false);
  CHECK(tokenizer.begins_word(tokenizer.encode(",").at(0)) == true);
  for (const int32_t id : tokenizer.encode("\u4f60")) CHECK(tokenizer.begins_word(id) == false);
}

TEST_CASE("byte bpe: tokenizers of folders of transformers", "[text]") {
  const std::vector<std::pair<std::string, std::string>> merges = {
      {"\u0120", "l"}, {"\u0120l", "o"}, {"e", "r"}};
  const TemporaryFolder folder;
  lvtext::testing::write_gpt2_tokenizer(folder.path, merges);
  const ByteBpe published = ByteBpe::read_published(folder.path);
  CHECK(published.size() == 256 + 3 + 1);
  CHECK(tokens_of(published, " low lower<|endoftext|>") ==
        Strings{" lo", "w", " lo", "w", "er", "<|endoftext|>"});
  CHECK(published.vocabulary().bos == 259);
  CHECK(published.vocabulary().eos == 259);
  CHECK_FALSE(published.vocabulary().pad);

  // The same as one file, with merges as texts or pairs, and a further token.
  for (const bool of_pairs : {false, true}) {
    nlohmann::json vocabulary = lvtext::testing::gpt2_vocabulary(merges);
    vocabulary.erase("<|endoftext|>");
    nlohmann::json whole = {{"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
                            {"model", {{"type", "BPE"}, {"vocab", vocabulary}}},
                            {"added_tokens",
                             {{{"id", 259}, {"content", "<|endoftext|>"}, {"special", true}},
                              {{"id", 260}, {"content", "<pad>"}}}}};
    for (const auto& [left, right] : merges) {
      whole["model"]["merges"].push_back(of_pairs ? nlohmann::json({left, right})
                                                  : nlohmann::json(left + " " + right));
    }
    write_file_synced(folder / "tokenizer.json", whole.dump());
    write_file_synced(folder / "tokenizer_config.json", R"({"pad_token": "<pad>"})");
    const ByteBpe read = ByteBpe::read_published(folder.path);
    CHECK(read.size() == 261);
    CHECK(read.encode(" lower") == published.encode(" lower"));
    CHECK(read.vocabulary().pad == 260);
    CHECK(read.vocabulary().eos == 259);
    nlohmann::json prefixed = whole;
    prefixed["pre_tokenizer"]["add_prefix_space"] = true;
    write_file_synced(folder / "tokenizer.json", prefixed.dump());
    CHECK_THROWS_WITH(ByteBpe::read_published(folder.path),
                      Catch::Contains("not divided as by GPT-2"));
    whole["model"]["type"] = "WordPiece";
    write_file_synced(folder / "tokenizer.json", whole.dump());
    CHECK_THROWS_WITH(ByteBpe::read_published(folder.path),
                      Catch::Contains("not a byte-level BPE (its type is \"WordPiece\")"));
  }
}

TEST_CASE("byte bpe: mistakes in folders of transformers", "[text]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(ByteBpe::read_published(folder.path), MissingError);
  const std::vector<std::pair<std::string, std::string>> merges = {{"t", "h"}, {"th", "e"}};
  lvtext::testing::write_gpt2_tokenizer(folder.path, merges);
  const auto with = [&](const std::function<void(nlohmann::json&)>& change) {
    nlohmann::json vocabulary = lvtext::testing::gpt2_vocabulary(merges);
    change(vocabulary);
    write_file_synced(folder / "vocab.json", vocabulary.dump());
    return ByteBpe::read_published(folder.path);
  };
  CHECK_THROWS_WITH(with([](auto& ids) { std::swap(ids["th"], ids["the"]); }),
                    Catch::Contains("the id 256 must be that of the token 'th'"));
  CHECK_THROWS_WITH(with([](auto& ids) { ids["<|endoftext|>"] = 300; }),
                    Catch::Contains("no token has the id 258"));
  CHECK_THROWS_WITH(with([](auto& ids) { ids["<|endoftext|>"] = 3; }),
                    Catch::Contains("two tokens have the id 3"));
  CHECK_THROWS_WITH(with([](auto& ids) { ids["<|endoftext|>"] = "x"; }),
                    Catch::Contains("has the id \"x\""));
  CHECK_THROWS_WITH(with([](auto& ids) { ids = nlohmann::json::array(); }),
                    Catch::Contains("is not a JSON object"));
}
